import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { isFunctionNode } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { evaluateConstantCondition } from '../../dead-code/constant-condition.ts';
import { getBodyStatements, getFunctionName } from './enclosing-functions.ts';
import type { TamperingFinding } from './native-syntax.ts';

/** Whether a file does or defines anything: comments, the name of a package, texts, `pass`, `export {}` and `module.exports = {}` do not. */
export const hasExecutableContent = (root: SyntaxNode): boolean =>
  root.namedChildren.some((each) => !isNothing(each));

function isNothing(statement: SyntaxNode): boolean {
  if (
    /^(?:(?:\w+_)?comment|pass_statement|empty_statement|hash_bang_line|package_clause)$/.test(statement.type)
  )
    return true;
  if (statement.type === 'export_statement')
    return /^export\s*(?:\{\s*\}|default\s+(?:\{\s*\}|null|undefined))\s*;?$/.test(
      statement.text.slice(0, 60),
    );
  if (statement.type !== 'expression_statement') return false;
  const [only = null] = statement.namedChildren;
  if (only === null || /^(?:string|ellipsis|none|null|undefined|integer|number)$/.test(only.type))
    return true;
  if (only.type === 'assignment')
    return /^__all__\s*(?::[^=]{0,40})?=\s*[[(]\s*[\])]$/.test(only.text.slice(0, 80));
  return (
    only.type === 'assignment_expression' &&
    /^(?:module\.)?exports\s*=\s*(?:\{\s*\}|null|undefined|\(\)\s*=>\s*\{\s*\})$/.test(only.text.slice(0, 60))
  );
}

/** Functions of a file by name, with those around them. */
function functionsOf(root: SyntaxNode): Map<string, SyntaxNode> {
  const found = new Map<string, SyntaxNode>();
  for (const node of root.walk()) {
    if (!isFunctionNode(node)) continue;
    const names = [getFunctionName(node)];
    for (const above of node.ancestors())
      if (isFunctionNode(above) || /^class/.test(above.type))
        names.unshift(above.childForField('name')?.text ?? getFunctionName(above));
    if (names.at(-1) !== '') found.set(names.join('.'), node);
  }
  return found;
}

/** Functions that did something, and of which only the shell is left. */
export function findEmptiedFunctions(before: SyntaxNode, after: SyntaxNode): TamperingFinding[] {
  const old = functionsOf(before);
  const found: TamperingFinding[] = [];
  for (const [name, fn] of functionsOf(after)) {
    const then = old.get(name);
    if (!then || !didSomething(then) || isAbstract(fn)) continue;
    const left = reached(getBodyStatements(fn));
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
        weight: 'warning',
      });
  }
  return [...found, ...hollowNames(before, after, old)];
}

/** Statements that run: up to the first that leaves, and none under what never holds. */
function reached(statements: readonly SyntaxNode[]): SyntaxNode[] {
  const end = statements.findIndex(({ type }) => LEAVES.test(type));
  return (end < 0 ? statements : statements.slice(0, end + 1)).filter(
    (each) =>
      each.type !== 'if_statement' ||
      each.childForField('alternative') !== null ||
      evaluateConstantCondition(each.childForField('condition')) !== false,
  );
}
const LEAVES = /^(?:return|throw|raise)_statement$/;

/** Classes that had methods and have nothing any more, and functions whose names stand for nothing now. */
function hollowNames(
  before: SyntaxNode,
  after: SyntaxNode,
  old: ReadonlyMap<string, SyntaxNode>,
): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  const add = (
    name: string,
    node: SyntaxNode,
    what: string,
    weight: TamperingFinding['weight'] = 'warning',
  ): void => {
    found.push({
      rule: 'function_emptied',
      key: name,
      line: node.line,
      message: `${name} is still there and ${what}`,
      weight,
    });
  };
  const worked = new Set(
    [...old].flatMap(([name, fn]) =>
      name.includes('.') && didSomething(fn) ? [name.split('.', 1)[0] ?? ''] : [],
    ),
  );
  const then = classesOf(before);
  for (const [name, node] of classesOf(after)) {
    const was = then.get(name);
    if (was && worked.has(name) && isBare(node) && headOf(was) === headOf(node))
      add(name, node, 'has nothing in it any more');
  }
  for (const node of after.walk(({ type }) => !/function|class|method/.test(type))) {
    if (!/^(?:assignment|assignment_expression|variable_declarator)$/.test(node.type)) continue;
    // What is declared to be filled later is another thing of that name.
    if (/^(?:let|var)\b/.test(node.parent?.text.slice(0, 4) ?? '')) continue;
    const name =
      (node.childForField('name') ?? node.childForField('left'))?.text.replace(
        /^(?:module\.)?exports\./,
        '',
      ) ?? '';
    const fn = old.get(name);
    const value = node.childForField('value') ?? node.childForField('right');
    if (fn && value && didSomething(fn) && /^(?:None|null|undefined|void 0)$/.test(value.text.slice(0, 10)))
      // So does what is there on one system, or with one library only.
      add(name, node, 'stands for nothing any more', 'info');
  }
  return found;
}

const classesOf = (root: SyntaxNode): Map<string, SyntaxNode> =>
  new Map(
    [...root.walk()].flatMap((node) =>
      /^class(?:_definition|_declaration)?$/.test(node.type) && node.childForField('name')
        ? [[node.childForField('name')?.text ?? '', node] as const]
        : [],
    ),
  );
/** What a class is made from: who inherits its methods from elsewhere now has not lost them. */
const headOf = (node: SyntaxNode): string =>
  node.text
    .slice(0, Math.max(0, (node.childForField('body')?.start ?? node.start) - node.start))
    .replace(/\s+|:/g, '');
const isBare = (node: SyntaxNode): boolean =>
  (node.childForField('body')?.namedChildren ?? []).every(isNothing);

/** A method that others have to bring: nobody can call it by mistake. */
const isAbstract = (fn: SyntaxNode): boolean =>
  fn.parent?.type === 'decorated_definition' &&
  fn.parent.children.some(
    ({ type, text }) => type === 'decorator' && /^@(?:abc\.)?abstractmethod\s*$/.test(text),
  );

/** More than handing on one value. */
function didSomething(fn: SyntaxNode): boolean {
  const statements = getBodyStatements(fn);
  if (statements.length === 0) return false;
  for (const node of fn.childForField('body')?.walk() ?? [])
    if (
      /^(?:call|call_expression|binary_expression|binary_operator|comparison_operator|for_statement|for_in_statement|if_statement|assignment|variable_declarator|new_expression|template_substitution|interpolation|await_expression)$/.test(
        node.type,
      )
    )
      return !isNotThere(statements);
  return false;
}

const isNotThere = (statements: readonly SyntaxNode[]): boolean =>
  statements.length === 1 &&
  /NotImplemented|not implemented|unsupported|deprecated/i.test(statements[0]?.text.slice(0, 300) ?? '');

function emptyAnswer(statement: SyntaxNode, then: SyntaxNode): string | null {
  if (statement.type === 'pass_statement' || statement.type === 'empty_statement')
    return 'does nothing any more';
  if (statement.type === 'expression_statement')
    return /^(?:ellipsis|string|none)$/.test(statement.namedChildren[0]?.type ?? '')
      ? 'does nothing any more'
      : null;
  const isReturn = statement.type === 'return_statement';
  // The body of an arrow function without braces is what it answers.
  if (!isReturn && statement.parent && !isFunctionNode(statement.parent)) return null;
  const value = isReturn ? (statement.namedChildren[0] ?? null) : statement;
  if (
    value === null ||
    /^(?:none|null|undefined)$/.test(value.type) ||
    value.text.slice(0, 12) === 'undefined' ||
    /^\(?\s*<>\s*<\/>\s*\)?$/.test(value.text.slice(0, 40))
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

function usesItsParameters(fn: SyntaxNode): boolean {
  const names = new Set<string>();
  const parameters = fn.childForField('parameters') ?? fn.childForField('parameter');
  for (const node of parameters?.walk() ?? [])
    if (node.type === 'identifier' && node.text !== 'self' && node.text !== 'cls') names.add(node.text);
  for (const node of fn.childForField('body')?.walk() ?? [])
    if (node.type === 'identifier' && names.has(node.text)) return true;
  return false;
}

/** A file of which nothing is left, as it is told: of tests a note. */
export const createEmptiedFileFinding = (path: string): GateFinding => ({
  file: path,
  line: null,
  rule: 'file_emptied',
  message: 'was emptied instead of deleted, so that whoever looks for it still finds it',
  severity: isTestPath(path) ? 'info' : 'error',
});
