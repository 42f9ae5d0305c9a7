import { isFunction } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Deceit } from './model.ts';
import { nameOf, statementsOf } from './places.ts';

/** Whether a file does or defines anything: comments, texts, `pass`, `export {}` and `module.exports = {}` do not. */
export const hasContent = (root: Syntax): boolean => root.namedChildren.some((each) => !isNothing(each));

function isNothing(statement: Syntax): boolean {
  if (/^(?:comment|pass_statement|empty_statement|hash_bang_line|html_comment)$/.test(statement.type))
    return true;
  if (statement.type === 'export_statement')
    return /^export\s*(?:\{\s*\}|default\s+(?:\{\s*\}|null|undefined))\s*;?$/.test(
      statement.text.slice(0, 60),
    );
  if (statement.type !== 'expression_statement') return false;
  const [only = null] = statement.namedChildren;
  if (only === null || /^(?:string|ellipsis|none|null|undefined|integer|number)$/.test(only.type))
    return true;
  return (
    only.type === 'assignment_expression' &&
    /^(?:module\.)?exports\s*=\s*(?:\{\s*\}|null|undefined|\(\)\s*=>\s*\{\s*\})$/.test(only.text.slice(0, 60))
  );
}

/** Functions of a file by name, with those around them. */
function functionsOf(root: Syntax): Map<string, Syntax> {
  const found = new Map<string, Syntax>();
  for (const node of root.walk()) {
    if (!isFunction(node)) continue;
    const names = [nameOf(node)];
    for (const above of node.ancestors())
      if (isFunction(above) || /^class/.test(above.type))
        names.unshift(above.child('name')?.text ?? nameOf(above));
    if (names.at(-1) !== '') found.set(names.join('.'), node);
  }
  return found;
}

/** Functions that did something, and of which only the shell is left. */
export function hollowed(before: Syntax, after: Syntax): Deceit[] {
  const old = functionsOf(before);
  const found: Deceit[] = [];
  for (const [name, fn] of functionsOf(after)) {
    const then = old.get(name);
    if (!then || !didSomething(then)) continue;
    const left = statementsOf(fn);
    const what =
      left.length === 0
        ? 'does nothing any more'
        : left.length === 1 && left[0]
          ? emptyAnswer(left[0], then)
          : null;
    if (what !== null)
      found.push({
        rule: 'function_emptied',
        key: name,
        line: fn.line,
        message: `${name} is still there and ${what}`,
        weight: 'unclear',
      });
  }
  return found;
}

/** More than handing on one value. */
function didSomething(fn: Syntax): boolean {
  const statements = statementsOf(fn);
  if (statements.length === 0) return false;
  for (const node of fn.child('body')?.walk() ?? [])
    if (
      /^(?:call|call_expression|binary_expression|binary_operator|comparison_operator|for_statement|for_in_statement|if_statement|assignment|variable_declarator|new_expression|template_substitution|interpolation|await_expression)$/.test(
        node.type,
      )
    )
      return !isNotThere(statements);
  return false;
}

const isNotThere = (statements: readonly Syntax[]): boolean =>
  statements.length === 1 &&
  /NotImplemented|not implemented|unsupported|deprecated/i.test(statements[0]?.text.slice(0, 300) ?? '');

function emptyAnswer(statement: Syntax, then: Syntax): string | null {
  if (statement.type === 'pass_statement' || statement.type === 'empty_statement')
    return 'does nothing any more';
  if (statement.type === 'expression_statement')
    return /^(?:ellipsis|string|none)$/.test(statement.namedChildren[0]?.type ?? '')
      ? 'does nothing any more'
      : null;
  const isReturn = statement.type === 'return_statement';
  // The body of an arrow function without braces is what it answers.
  if (!isReturn && statement.parent && !isFunction(statement.parent)) return null;
  const value = isReturn ? (statement.namedChildren[0] ?? null) : statement;
  if (
    value === null ||
    /^(?:none|null|undefined)$/.test(value.type) ||
    value.text.slice(0, 12) === 'undefined'
  )
    return 'answers nothing any more';
  if (!/^(?:integer|float|number|string|list|dictionary|array|object)$/.test(value.type)) return null;
  if (
    value.namedChildren.some(
      ({ type }) => !/^(?:string_\w+|escape_sequence|integer|float|number|string)$/.test(type),
    )
  )
    return null;
  // A flag that was decided is a constant by right; a result that was worked out from what is given is not.
  return usesItsParameters(then) ? 'gives the same answer whatever it is asked' : null;
}

function usesItsParameters(fn: Syntax): boolean {
  const names = new Set<string>();
  const parameters = fn.child('parameters') ?? fn.child('parameter');
  for (const node of parameters?.walk() ?? [])
    if (node.type === 'identifier' && node.text !== 'self' && node.text !== 'cls') names.add(node.text);
  for (const node of fn.child('body')?.walk() ?? [])
    if (node.type === 'identifier' && names.has(node.text)) return true;
  return false;
}
