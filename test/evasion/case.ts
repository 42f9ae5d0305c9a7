import type { Expectation } from '../../shared/task/expects.ts';

/** Content by path; a link is a symbolic link to its target. */
export type Content = string | { readonly link: string };
export type Files = Readonly<Record<string, Content>>;
/** What a patch does: new content by path; null deletes. */
export type Patch = Readonly<Record<string, Content | null>>;

/** How a patch is caught. */
export interface Catch {
  /**
   * `held`: the patch does not pass, whatever holds it. `blocked`: the verdict is fail, because of this gate. `finding`: the gate reports it.
   * `protected`: the file is put back to its base version. `unverified`: nothing of ours stands behind the pass.
   */
  readonly how: 'held' | 'blocked' | 'finding' | 'protected' | 'unverified';
  /** Name of the gate; of the file, where it is put back; empty where neither is meant. */
  readonly by: string;
  /** A rule that must be among the gate's findings. */
  readonly rule?: string;
}

export interface EvasionCase {
  readonly class: string;
  readonly name: string;
  readonly base: Files;
  /** Lines below `quality_gates`; null: no assay.yaml at all. */
  readonly config: string | null;
  readonly patch: Patch;
  readonly caught: Catch;
  /** A legitimate change that looks alike. It must pass. */
  readonly twin: {
    readonly name: string;
    readonly patch: Patch;
    /** What a task would foresee of it. */
    readonly expects?: readonly Expectation[];
    readonly base?: Files;
    readonly config?: string;
  };
  /** Why it is not caught. Such cases are run, counted and shown. */
  readonly known_miss?: string;
}

/** A text with one piece replaced. @throws when the piece is not there. */
export function edit(text: string, ...pairs: readonly (readonly [string, string])[]): string {
  let result = text;
  for (const [from, to] of pairs) {
    if (!result.includes(from)) throw new Error(`"${from}" is not in the text that is to be edited`);
    result = result.replace(from, () => to);
  }
  return result;
}
