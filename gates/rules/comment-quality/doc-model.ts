/** A parameter as the signature has it. */
export interface SignatureParameter {
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
  readonly parameters: readonly SignatureParameter[];
}

/** What a documentation says, in whatever style. */
export interface ParsedDoc {
  /** Its first sentence. */
  readonly summary: string;
  /** Names that it lists as parameters. */
  readonly parameters: readonly string[];
  /** Whether each parameter has to be mentioned; `reported`: it is worth knowing where one is not. */
  readonly parameterCoverage: 'must' | 'reported' | 'free';
}

/** The first sentence of a text. */
export function extractFirstSentence(text: string): string {
  const paragraph = text.trim().split(/\n[ \t]*\n/, 1)[0] ?? '';
  return (/^[\s\S]*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph).replace(/\s+/g, ' ').trim();
}

/** A list of parameters that is begun has to be whole; without one they are described where they need it. */
export const getRequiredParameterCoverage = (
  parameters: readonly string[],
): ParsedDoc['parameterCoverage'] => (parameters.length > 0 ? 'must' : 'free');
