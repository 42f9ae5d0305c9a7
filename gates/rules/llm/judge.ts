/** One question to a model. */
export interface Question {
  /** What it is to do; ours, and trusted. */
  readonly instruction: string;
  /** What it is to look at. Text from outside stands in fences (shared/fence.ts). */
  readonly material: string;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly temperature: number;
  /** A model that the configuration names; null: the provider's choice. */
  readonly model: string | null;
  readonly timeoutMs: number;
}

/** A model that answers questions about a patch. Its answers are opinions: they add doubt, never proof. */
export interface Judge {
  /** The model that answers when a question names none; part of what an answer is remembered by. */
  readonly model: string;
  /** The text of the answer. @throws whatever the provider throws; then nobody has judged. */
  ask(question: Question): Promise<string>;
}

/** The task that a patch is for. */
export interface JudgedTask {
  /** What whoever asked foresees to change; absent or null: nothing was said. */
  readonly expects?: readonly string[] | null;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The model that wrote the patch; absent or null: nobody knows. */
  readonly writer?: string | null;
}
