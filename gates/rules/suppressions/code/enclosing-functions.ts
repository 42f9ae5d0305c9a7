import { isFunctionNode } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';

/** The outermost function around a node. */
export function getOutermostFunction(node: SyntaxNode): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  for (const above of node.ancestors()) if (isFunctionNode(above)) found = above;
  return found;
}

/** The functions around a node, innermost first. */
export const getEnclosingFunctions = (node: SyntaxNode): SyntaxNode[] =>
  [...node.ancestors()].filter(isFunctionNode);

/** The name that a function goes by, its own or that of what holds it; empty for none. */
export function getFunctionName(fn: SyntaxNode): string {
  const own = fn.childForField('name')?.text;
  if (own !== undefined) return own;
  const holder = fn.parent;
  const name = holder?.childForField('name') ?? holder?.childForField('left') ?? holder?.childForField('key');
  return name?.text.split('.').at(-1) ?? '';
}

/** Whether code runs as soon as the file is loaded: in no function, or in one that is called on the spot. */
export const isModuleLevelCode = (node: SyntaxNode): boolean =>
  getEnclosingFunctions(node).every(isCalledAtOnce);

function isCalledAtOnce(fn: SyntaxNode): boolean {
  let at = fn;
  while (at.parent?.type === 'parenthesized_expression') at = at.parent;
  const call = at.parent;
  return (call?.type === 'call_expression' || call?.type === 'call') && call.childForField('function') === at;
}

/** Whether a node stands under a question that its file is the program that was started. */
export function isUnderMainGuard(node: SyntaxNode): boolean {
  for (const above of node.ancestors())
    if (
      above.type === 'if_statement' &&
      MAIN.test(above.childForField('condition')?.text.slice(0, 300) ?? '')
    )
      return true;
  return false;
}
const MAIN =
  /require\.main\s*={2,3}\s*module|__name__\s*==\s*['"]__main__['"]|import\.meta\.(?:main\b|url|filename)|['"]__main__['"]\s*==/;

/** The call that a function is handed to, e.g. `process.on('exit', fn)`. */
export function getCallReceivingFunction(fn: SyntaxNode): SyntaxNode | null {
  return fn.parent?.type === 'arguments' || fn.parent?.type === 'argument_list' ? fn.parent.parent : null;
}

/** Statements of a function's body, without comments and documentation. */
export function getBodyStatements(fn: SyntaxNode): SyntaxNode[] {
  const body = fn.childForField('body');
  if (body === null) return [];
  if (body.type !== 'statement_block' && body.type !== 'block') return [body];
  return body.namedChildren.filter(
    ({ type, namedChildren }, index) =>
      type !== 'comment' &&
      !(index === 0 && type === 'expression_statement' && namedChildren[0]?.type === 'string'),
  );
}
