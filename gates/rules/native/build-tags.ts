import type { Comment } from './lex.ts';

/** Tags that hold in the boxes. */
const HOLDS = /^(?:linux|amd64|arm64|unix|gc|cgo|go1\.\d+)$/;

/** Whether the constraints before a file's package let it be built where we are, with no tags of its own. */
export function isBuilt(comments: readonly Comment[], code: string): boolean {
  const start = /^package\b/m.exec(code)?.index ?? code.length;
  return comments.every(({ at, text }) => {
    const constraint =
      at < start ? /^\/\/(?:go:build|\s{0,5}\+build)\s(.{0,500})$/s.exec(text)?.[1] : undefined;
    return constraint === undefined || holds(constraint);
  });
}

/** Evaluates `a && !(b || c)`; the older `a,b c` is read as well. */
function holds(constraint: string): boolean {
  const isOld = !/[&|()]/.test(constraint);
  const tokens =
    (isOld ? constraint.trim().replace(/\s+/g, ' || ').replaceAll(',', ' && ') : constraint).match(
      /&&|\|\||[!()]|[\w.]+/g,
    ) ?? [];
  let at = 0;
  const or = (): boolean => {
    let value = and();
    while (tokens[at] === '||') {
      at++;
      value = and() || value;
    }
    return value;
  };
  const and = (): boolean => {
    let value = not();
    while (tokens[at] === '&&') {
      at++;
      value = not() && value;
    }
    return value;
  };
  const not = (): boolean => {
    const token = tokens[at++];
    if (token === '!') return !not();
    if (token !== '(') return token !== undefined && HOLDS.test(token);
    const value = or();
    at++;
    return value;
  };
  return or();
}
