/** JSON with comments and commas at the end, as in a tsconfig.json; null when it is not even that. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(plain(text));
  } catch {
    return null;
  }
}

/** Strings and comments; one that is never closed goes to its end, so that it is looked at once. */
const PIECES = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g;

function plain(text: string): string {
  const bare = text.replace(/^\uFEFF/, '').replace(PIECES, (piece) => (piece.startsWith('"') ? piece : ' '));
  // After the first pass only strings can hold a comma that is to stay.
  return bare.replace(/"(?:[^"\\\n]|\\.)*"?|,(?=\s*[\]}])/g, (piece) => (piece === ',' ? '' : piece));
}

export type JsonRecord = Readonly<Record<string, unknown>>;
export const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
