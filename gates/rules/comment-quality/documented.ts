/** A parameter as the signature has it. */
export interface Parameter {
  /** Null for one that is taken apart, as in `({ a, b })`: its documentation may call it anything. */
  readonly name: string | null;
  /** Names inside of one that is taken apart; documentation may name these. */
  readonly parts: readonly string[];
}

/** A public function with its documentation. */
export interface DocumentedFunction {
  readonly name: string;
  /** 1-based line of the documentation. */
  readonly line: number;
  /** The text without comment marks, its indentation kept. */
  readonly doc: string;
  readonly parameters: readonly Parameter[];
  /** Whether it gives something back that is worth a word. */
  readonly returns: boolean;
  /** Errors that its own body raises, by name; '' for one without a name. */
  readonly raises: readonly string[];
}

export const STYLES = ['auto', 'google', 'numpy', 'rest'] as const;
export type Style = (typeof STYLES)[number];

/** What a documentation says, in whatever style. */
export interface DocContent {
  /** Its first sentence. */
  readonly summary: string;
  readonly parameters: readonly string[];
  readonly returns: boolean;
  readonly raises: readonly string[];
  /** Styles that it has sections in. */
  readonly styles: readonly Exclude<Style, 'auto'>[];
  /** It refers to documentation elsewhere, so that nothing can be missing here. */
  readonly inherits: boolean;
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  const paragraph = text.trim().split(/\n[ \t]*\n/, 1)[0] ?? '';
  return (/^[\s\S]*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph).replace(/\s+/g, ' ').trim();
}
