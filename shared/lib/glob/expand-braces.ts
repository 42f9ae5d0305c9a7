/** Most plain globs that the braces of one glob may stand for. */
export const MAX_GLOB_ALTERNATIVES = 1_000;

/** A glob whose braces stand for more than anybody can have meant. */
export class TooManyGlobAlternativesError extends Error {
  constructor() {
    super(`stands for more than ${MAX_GLOB_ALTERNATIVES} globs`);
    this.name = 'TooManyGlobAlternativesError';
  }
}

/**
 * The globs without braces that a glob stands for: `{a,b}`, nested, and `{1..5}`. Braces without a comma or a range are plain
 * characters.
 * @throws TooManyGlobAlternativesError
 */
export function expandBraces(glob: string): string[] {
  const open = findBraces(glob);
  if (open === null) return [glob];
  const { from, to, parts } = open;
  const before = glob.slice(0, from);
  const rests = expandBraces(glob.slice(to));
  const inner = parts.flatMap((part) => expandBraces(part));
  if (inner.length * rests.length > MAX_GLOB_ALTERNATIVES) throw new TooManyGlobAlternativesError();
  return inner.flatMap((middle) => rests.map((rest) => `${before}${middle}${rest}`));
}

interface Braces {
  readonly from: number;
  /** Behind the closing brace. */
  readonly to: number;
  readonly parts: readonly string[];
}

/** The first braces that stand for something. */
function findBraces(glob: string): Braces | null {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++;
    else if (glob[at] === '[') at = findClassEnd(glob, at) ?? at;
    else if (glob[at] === '{') {
      const braces = readBraces(glob, at);
      if (braces) return braces;
    }
  }
  return null;
}

function readBraces(glob: string, from: number): Braces | null {
  const parts: string[] = [];
  let depth = 0;
  let start = from + 1;
  for (let at = from; at < glob.length; at++) {
    const character = glob[at];
    if (character === '\\') at++;
    else if (character === '[') at = findClassEnd(glob, at) ?? at;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      parts.push(glob.slice(start, at));
      start = at + 1;
    } else if (character === '}' && --depth === 0) {
      const last = glob.slice(start, at);
      const all = parts.length > 0 ? [...parts, last] : expandRange(last);
      return all && { from, to: at + 1, parts: all };
    }
  }
  return null;
}

/** `1..5` or `a..e`. */
function expandRange(text: string): string[] | null {
  const match = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-zA-Z])\.\.([a-zA-Z]))$/.exec(text);
  if (!match) return null;
  const [, first, last, a = '', b = ''] = match;
  const isNumber = first !== undefined;
  const from = isNumber ? Number(first) : a.charCodeAt(0);
  const to = isNumber ? Number(last) : b.charCodeAt(0);
  const count = Math.abs(to - from) + 1;
  if (count > MAX_GLOB_ALTERNATIVES) throw new TooManyGlobAlternativesError();
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = from + step * index;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}

/** Index of the `]` that closes the class which opens at `at`; null when none does before the next slash. */
export function findClassEnd(glob: string, at: number): number | null {
  let index = at + 1;
  if (glob[index] === '!' || glob[index] === '^') index++;
  // A bracket that stands first is one of the characters.
  if (glob[index] === ']') index++;
  for (; index < glob.length && glob[index] !== '/'; index++) {
    if (glob[index] === '\\') index++;
    else if (glob[index] === ']') return index;
  }
  return null;
}
