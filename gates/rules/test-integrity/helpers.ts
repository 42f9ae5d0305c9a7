import { closing, endOfBlock } from '../tests/cases.ts';
import { count } from '../tests/count.ts';
import { codeOnly } from '../tests/strip.ts';

/** Most functions of one file that are looked at. */
const MAX_FUNCTIONS = 500;

const JAVASCRIPT =
  /\bfunction\s{1,10}(\w{1,80})\s{0,10}\(|\b(?:const|let|var)\s{1,10}(\w{1,80})\s{0,10}=\s{0,10}(?:async\s{1,10})?(?:function\b|\([^)\n]{0,200}\)\s{0,10}(?::[^=\n]{0,80})?=>|\w{1,80}\s{0,10}=>)|\bexports\.(\w{1,80})\s{0,10}=/g;
const PYTHON = /^[ \t]*(?:async[ \t]+)?def[ \t]+((?!test)\w{1,80})[ \t]*\(/gm;
const GO = /^func\s+(\w{1,80})\(\w{1,40}\s+\*?testing\.T?B?\b/gm;

/** Functions beside the tests that assert something themselves: a call of them counts as an assertion. */
export function assertingHelpers(path: string, text: string): string[] {
  const code = codeOnly(path, text);
  const python = path.endsWith('.py');
  const pattern = python
    ? PYTHON
    : path.endsWith('.go')
      ? GO
      : /\.[cm]?[jt]sx?$/.test(path)
        ? JAVASCRIPT
        : null;
  if (pattern === null) return [];
  const found: string[] = [];
  let looked = 0;
  for (const match of code.matchAll(pattern)) {
    if (++looked > MAX_FUNCTIONS) break;
    const name = match[1] ?? match[2] ?? match[3];
    if (name === undefined || /^(?:Test|Fuzz|Example)/.test(name)) continue;
    const body = python ? pythonBody(code, match.index) : bracedBody(code, match.index + match[0].length);
    if (count(path, body).assertions > 0) found.push(name);
  }
  return found;
}

function pythonBody(code: string, at: number): string {
  const line = code.slice(at, at + 200);
  return code.slice(at, endOfBlock(code, at, line.length - line.trimStart().length));
}

/** Up to the end of the function's braces, or of the line when it has none. */
function bracedBody(code: string, from: number): string {
  const newline = code.indexOf('\n', from);
  const end = newline < 0 ? code.length : newline;
  const open = code.slice(from, end).lastIndexOf('{');
  return code.slice(from, open < 0 ? end : closing(code, from + open));
}

/** How often a piece of code calls one of these. */
export const callsOf = (code: string, helpers: ReadonlySet<string>): number =>
  helpers.size === 0
    ? 0
    : [...code.matchAll(/(?<![\w$])([A-Za-z_$][\w$]{0,80})\s{0,10}\(/g)].filter(([, name]) =>
        helpers.has(name ?? ''),
      ).length;
