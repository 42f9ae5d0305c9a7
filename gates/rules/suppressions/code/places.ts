import { isFunction } from '../../../code/parsing/functions.ts';
import type { Syntax } from '../../../code/parsing/syntax.ts';

/** The outermost function around a node. */
export function functionAround(node: Syntax): Syntax | null {
  let found: Syntax | null = null;
  for (const above of node.ancestors()) if (isFunction(above)) found = above;
  return found;
}

/** The functions around a node, innermost first. */
export const functionsAround = (node: Syntax): Syntax[] => [...node.ancestors()].filter(isFunction);

/** The name that a function goes by, its own or that of what holds it; empty for none. */
export function nameOf(fn: Syntax): string {
  const own = fn.child('name')?.text;
  if (own !== undefined) return own;
  const holder = fn.parent;
  const name = holder?.child('name') ?? holder?.child('left') ?? holder?.child('key');
  return name?.text.split('.').at(-1) ?? '';
}

/** Whether code runs as soon as the file is loaded: in no function, or in one that is called on the spot. */
export const runsOnLoad = (node: Syntax): boolean => functionsAround(node).every(isCalledAtOnce);

function isCalledAtOnce(fn: Syntax): boolean {
  let at = fn;
  while (at.parent?.type === 'parenthesized_expression') at = at.parent;
  const call = at.parent;
  return (call?.type === 'call_expression' || call?.type === 'call') && call.child('function') === at;
}

/** Whether a node stands under a question that its file is the program that was started. */
export function isProgram(node: Syntax): boolean {
  for (const above of node.ancestors())
    if (above.type === 'if_statement' && MAIN.test(above.child('condition')?.text.slice(0, 300) ?? ''))
      return true;
  return false;
}
const MAIN =
  /require\.main\s*={2,3}\s*module|__name__\s*==\s*['"]__main__['"]|import\.meta\.(?:main\b|url|filename)|['"]__main__['"]\s*==/;

/** The call that a function is handed to, e.g. `process.on('exit', fn)`. */
export function handedTo(fn: Syntax): Syntax | null {
  return fn.parent?.type === 'arguments' || fn.parent?.type === 'argument_list' ? fn.parent.parent : null;
}

/** Statements of a function's body, without comments and documentation. */
export function statementsOf(fn: Syntax): Syntax[] {
  const body = fn.child('body');
  if (body === null) return [];
  if (body.type !== 'statement_block' && body.type !== 'block') return [body];
  return body.namedChildren.filter(
    ({ type, namedChildren }, index) =>
      type !== 'comment' &&
      !(index === 0 && type === 'expression_statement' && namedChildren[0]?.type === 'string'),
  );
}
