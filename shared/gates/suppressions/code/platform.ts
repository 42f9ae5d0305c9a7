import { builtinModules } from 'node:module';
import type { Syntax } from '../../../code/syntax.ts';
import { type Aliases, pathOf } from './paths.ts';

/** What the language and its platforms bring. What of them throws says that an input is no such thing, or is not there. */
const GLOBAL = new Set(
  'JSON URL URLSearchParams Buffer process decodeURI decodeURIComponent encodeURI encodeURIComponent atob btoa Number BigInt Intl RegExp Date Math Object Array String Symbol Set Map structuredClone localStorage sessionStorage TextDecoder TextEncoder DOMParser crypto performance navigator document import require'.split(
    ' ',
  ),
);
const MODULES = new Set(builtinModules.filter((name) => !/^(?:assert|test)/.test(name)));
/** Longest text that is taken for one small question. */
const MAX_LENGTH = 300;

/**
 * Whether all that some code of JavaScript does is to ask the platform one small thing, such as `JSON.parse` or `readFile`. JavaScript
 * cannot catch one kind of error only, so that a default for such a question is no sign of anything.
 */
export function asksPlatformOnly(code: Syntax | null, aliases: Aliases): boolean {
  if (code === null || code.end - code.start > MAX_LENGTH) return false;
  let asked = 0;
  for (const node of code.walk()) {
    if (node.type !== 'call_expression' && node.type !== 'new_expression') continue;
    const callee = node.child('function') ?? node.child('constructor');
    if (!isPlatform(callee, aliases)) return false;
    asked++;
  }
  return asked > 0;
}

function isPlatform(callee: Syntax | null, aliases: Aliases): boolean {
  let at = callee;
  // A method of what the platform has answered.
  while (at?.type === 'member_expression') {
    const object: Syntax | null = at.child('object');
    const inner: Syntax | null =
      object?.type === 'await_expression' ? (object.namedChildren[0] ?? null) : object;
    if (inner?.type === 'parenthesized_expression') at = inner.namedChildren[0] ?? null;
    else if (inner?.type === 'call_expression' || inner?.type === 'new_expression')
      at = inner.child('function') ?? inner.child('constructor');
    else break;
    if (at?.type === 'await_expression') at = at.namedChildren[0] ?? null;
    if (at?.type === 'call_expression') at = at.child('function');
  }
  if (at?.type === 'import') return true;
  const path = at === null ? null : pathOf(at, aliases);
  if (path === null) return false;
  const [first = ''] = path.split('.');
  return GLOBAL.has(first) || MODULES.has(first);
}
