import { findClassEnd } from './expand-braces.ts';

/** Matches one character of a name, or any number of them. */
type GlobToken =
  | { readonly kind: 'any_number' }
  | { readonly kind: 'any' }
  | { readonly kind: 'one'; readonly character: string }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

/** What stands between two slashes of a glob: `**` is any number of folders. */
export type GlobSegment = '**' | readonly GlobToken[];

export function parseGlobSegment(text: string): GlobSegment {
  if (text === '**') return '**';
  const tokens: GlobToken[] = [];
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'any_number') tokens.push({ kind: 'any_number' });
      at++;
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
      at++;
    } else if (character === '[') {
      const end = findClassEnd(text, at);
      tokens.push(end === null ? { kind: 'one', character } : parseClass(text.slice(at + 1, end)));
      at = (end ?? at) + 1;
    } else if (character === '\\' && at + 1 < text.length) {
      const escaped = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
      tokens.push({ kind: 'one', character: escaped });
      at += 1 + escaped.length;
    } else {
      tokens.push({ kind: 'one', character });
      at += character.length;
    }
  }
  return tokens;
}

function parseClass(inner: string): GlobToken {
  const negated = inner.startsWith('!') || inner.startsWith('^');
  const characters: { readonly code: number; readonly escaped: boolean }[] = [];
  const rest = [...inner.slice(negated ? 1 : 0)];
  for (let index = 0; index < rest.length; index++) {
    const escaped = rest[index] === '\\' && index + 1 < rest.length;
    if (escaped) index++;
    characters.push({ code: rest[index]?.codePointAt(0) ?? 0, escaped });
  }
  const ranges: [number, number][] = [];
  for (let index = 0; index < characters.length; index++) {
    const from = characters[index];
    const to = characters[index + 2];
    const dash = characters[index + 1];
    if (from && to && dash?.code === 0x2d && !dash.escaped) {
      ranges.push([from.code, to.code]);
      index += 2;
    } else if (from) ranges.push([from.code, from.code]);
  }
  return { kind: 'class', negated, ranges };
}

/** Whether a name matches; at most as many steps as the name has characters times the glob. */
export function isSegmentMatch(tokens: readonly GlobToken[], name: readonly string[], dot: boolean): boolean {
  // Names that begin with a dot are hidden, unless the glob asks for the dot.
  if (!dot && name[0] === '.') {
    const [first] = tokens;
    if (first?.kind !== 'one' || first.character !== '.') return false;
  }
  let token = 0;
  let at = 0;
  // Where to go on when what follows the last `*` does not match: that star takes one character more.
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === 'any_number') {
      star = token++;
      starAt = at;
    } else if (current && matchesOne(current, name[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token]?.kind === 'any_number') token++;
  return token === tokens.length;
}

function matchesOne(token: GlobToken, character: string): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'one') return token.character === character;
  if (token.kind !== 'class') return false;
  const code = character.codePointAt(0) ?? 0;
  return token.ranges.some(([from, to]) => code >= from && code <= to) !== token.negated;
}
