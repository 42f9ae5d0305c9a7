/** Go and Rust: their strings and comments are more than quotes and slashes. */
export type NativeLanguage = 'go' | 'rust';

export const nativeLanguage = (path: string): NativeLanguage | null =>
  path.endsWith('.go') ? 'go' : path.endsWith('.rs') ? 'rust' : null;

export interface Comment {
  readonly at: number;
  readonly text: string;
}

export interface Lexed {
  /** As long as the text: comments and what stands in strings are blank, quotes and line breaks are kept. */
  readonly code: string;
  readonly comments: readonly Comment[];
}

/** Tells the code of a file from its comments and strings, in one pass. */
export function lex(language: NativeLanguage, text: string): Lexed {
  const parts: string[] = [];
  const comments: Comment[] = [];
  let plain = 0;
  for (let at = 0; at < text.length; ) {
    const token = language === 'go' ? goToken(text, at) : rustToken(text, at);
    if (token === null) {
      at++;
      continue;
    }
    parts.push(text.slice(plain, at));
    const inner = text.slice(at, token.end);
    if (token.kind === 'comment') {
      comments.push({ at, text: inner });
      parts.push(blank(inner));
    } else if (inner.length < 2) parts.push(inner);
    else parts.push(`"${blank(inner.slice(1, -1))}${inner.endsWith('\n') ? '\n' : '"'}`);
    at = token.end;
    plain = at;
  }
  parts.push(text.slice(plain));
  return { code: parts.join(''), comments };
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

interface Token {
  readonly kind: 'comment' | 'string';
  readonly end: number;
}

const until = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
};
const lineEnd = (text: string, from: number): number => {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
};

function goToken(text: string, at: number): Token | null {
  const character = text[at];
  if (character === '/' && text[at + 1] === '/') return { kind: 'comment', end: lineEnd(text, at) };
  if (character === '/' && text[at + 1] === '*') return { kind: 'comment', end: until(text, '*/', at + 2) };
  if (character === '`') return { kind: 'string', end: until(text, '`', at + 1) };
  if (character === '"' || character === "'") return { kind: 'string', end: quoted(text, at, false) };
  return null;
}

function rustToken(text: string, at: number): Token | null {
  const character = text[at];
  if (character === '/' && text[at + 1] === '/') return { kind: 'comment', end: lineEnd(text, at) };
  if (character === '/' && text[at + 1] === '*') return { kind: 'comment', end: nestedEnd(text, at) };
  if (character === '"') return { kind: 'string', end: quoted(text, at, true) };
  if (character === "'") {
    // A lifetime has no second quote.
    const literal = /^'(?:\\[^\n]{1,12}?|[^\\'\n])'/u.exec(text.slice(at, at + 16));
    return literal ? { kind: 'string', end: at + literal[0].length } : null;
  }
  if (character === 'r' && !/[\w]/.test(text[at - 1] ?? '')) {
    const raw = /^r(#{0,16})"/.exec(text.slice(at, at + 20));
    if (raw) return { kind: 'string', end: until(text, `"${raw[1]}`, at + raw[0].length) };
  }
  return null;
}

function quoted(text: string, at: number, overLines: boolean): number {
  const quote = text[at];
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === quote) return index + 1;
    else if (!overLines && text[index] === '\n') return index;
  }
  return text.length;
}

/** Block comments of Rust stand in each other. */
function nestedEnd(text: string, at: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
