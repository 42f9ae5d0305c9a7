import { isFunctionNode } from '../../../code/parsing/definitions.ts';
import { evaluateConstantString } from '../../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getCallArguments, type NameAliases, resolveDottedName } from './dotted-names.ts';
import { getBodyStatements } from './enclosing-functions.ts';
import type { TamperingFinding } from './native-syntax.ts';

/** Packages that run tests or assert, and what in them or in the language decides whether a test passes. */
const RUNNER =
  /^(?:(?:node:)?assert(?:\/strict)?|test|vitest|@jest\/globals|jest|chai|mocha|ava|expect|jasmine|unittest|pytest|_pytest|pluggy|nose|hypothesis|TestCase)(?:\.|$)/;
const GLOBAL = /^(?:it|test|describe|suite|expect|assert|jest|vi|chai)(?:\.|$)/;
const LANGUAGE =
  /^(?:Object\.(?:is|keys|prototype\.\w+)|(?:Array|String|Number|Boolean|Function|Promise|Error|Map|Set|Date|RegExp)\.prototype\.\w+|Math\.\w+|JSON\.\w+|Date\.now|Date|Promise|Reflect\.\w+|Number\.\w+|Array\.\w+|builtins\.\w+|__builtins__\.\w+|(?:math|operator|random|time|datetime|json|decimal|functools|copy|re)\.\w+)$/;
/** How modules are found and loaded. */
const LOADING =
  /^(?:module\.(?:_load|_resolveFilename|_extensions|_cache|prototype\.\w+)|Module\.(?:_load|_resolveFilename|_extensions|prototype\.\w+)|require\.(?:cache|extensions)\.|sys\.modules\.|sys\.(?:meta_path|path_hooks)|importlib\.\w+$)/;
const DEFINES =
  /^(?:Object\.(?:assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(?:set|defineProperty)|setattr)$/;

/** What puts something in the place of a module or a member, and assertions that nobody may do without. */
const MOCKS =
  /(?:^|\.)(?:patch|patch\.object|patch\.multiple|(?:jest|vi)\.(?:mock|doMock)|mock\.(?:module|method)|monkeypatch\.setattr)$/;
const ASSERTS =
  /^(?:assert(?:[./]\w+)*|chai|expect|@jest\/globals|vitest|unittest\.(?:case\.)?TestCase(?:\.(?:assert\w+|fail\w*|run))?|TestCase|pytest\.(?:raises|fail))$/;

/** Matchers that are there already: to extend with one of them is to replace it. */
const MATCHERS =
  /(?:^|[{,\s])(?:async\s+)?(?:toBe|toEqual|toStrictEqual|toMatchObject|toContain\w*|toThrow\w*|toMatch|toHave(?:Length|Property|BeenCalled\w*)|toBe(?:Truthy|Falsy|Defined|Null|Undefined|CloseTo|GreaterThan\w*|LessThan\w*))\s*[(:]/;

/** Files whose hooks pytest loads by their name. */
const CONFTEST = /(?:^|\/)conftest\.py$/;
/** Hooks that can turn a test that fails into one that passes. */
const RESULT_HOOKS: ReadonlySet<string> = new Set([
  ...['pytest_cmdline_main', 'pytest_runtestloop', 'pytest_runtest_protocol', 'pytest_runtest_call'],
  ...['pytest_pyfunc_call', 'pytest_runtest_makereport', 'pytest_runtest_logreport', 'pytest_sessionfinish'],
]);
/** Whether a finding is a hook of pytest. Modules that have some are plugins: their hooks are the product. */
export const isPytestHookFinding = ({ hook }: TamperingFinding): boolean => hook !== undefined;
export const isResultHookFinding = ({ hook }: TamperingFinding): boolean =>
  hook !== undefined && RESULT_HOOKS.has(hook);
export const isPytestPluginPath = (path: string): boolean => !CONFTEST.test(path);

/** Code that replaces the runner, its assertions, or what they stand on. In a plugin, a hook stays the same when its body changes. */
export function findRunnerMonkeyPatches(
  root: SyntaxNode,
  aliases: NameAliases,
  path: string,
): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  const own = ownNames(root);
  const add = (node: SyntaxNode, weight: TamperingFinding['weight'], what: string): void => {
    found.push({
      rule: 'runner_patched',
      key: node.text.slice(0, 300),
      line: node.line,
      message: `${what} is replaced`,
      weight,
    });
  };
  for (const node of root.walk()) {
    if (node.type === 'assignment_expression' || node.type === 'assignment') {
      const left = node.childForField('left');
      if (!left || !/^(?:member_expression|subscript_expression|attribute|subscript)$/.test(left.type))
        continue;
      const path = own.has(rootOf(left)) ? null : resolveDottedName(left, aliases);
      const weight = path === null ? null : weightOf(path, node);
      if (path !== null && weight) add(node, weight, path);
    } else if (node.type === 'call_expression' || node.type === 'call') {
      const callee = resolveDottedName(node.childForField('function'), aliases) ?? '';
      const [target = null, name = null] = getCallArguments(node);
      if (/^sys\.(?:settrace|setprofile)$/.test(callee)) add(node, 'warning', 'what watches a run');
      if (/^sys\.(?:meta_path|path_hooks)\.(?:insert|append)$/.test(callee))
        add(node, 'warning', 'how modules are found');
      if (/(?:^|\.)expect\.extend$/.test(callee) && MATCHERS.test(target?.text.slice(0, 4_000) ?? ''))
        add(node, 'error', 'a matcher of the runner');
      if (MOCKS.test(callee)) {
        const mocked =
          evaluateConstantString(target)?.replace(/^node:/, '') ?? resolveDottedName(target, aliases) ?? '';
        if (ASSERTS.test(mocked)) add(node, 'error', mocked);
      }
      if (!DEFINES.test(callee)) continue;
      const path = resolveDottedName(target, aliases);
      if (path === null) continue;
      const member = name && /string/.test(name.type) ? `${path}.${name.text.slice(1, -1)}` : `${path}.x`;
      const weight = RUNNER.test(path) || isModule(path) ? 'error' : LANGUAGE.test(member) ? 'warning' : null;
      if (weight) add(node, weight, path);
    } else if (
      node.type === 'function_definition' &&
      /^pytest_\w/.test(node.childForField('name')?.text ?? '')
    ) {
      const hook = node.childForField('name')?.text ?? '';
      found.push({
        rule: 'runner_patched',
        key: isPytestPluginPath(path) ? `hook ${hook}` : node.text.slice(0, 300),
        line: node.line,
        message: 'a hook of the runner is replaced',
        hook,
        weight: 'error',
      });
    }
  }
  return found;
}

/** Names of runners that are usual names of other things too. */
const COMMON = /^(?:test|it|suite|describe)$/;

/** Such names where a loop, a parameter or a literal brings them: a record called `test` is no runner. */
function ownNames(root: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of root.walk()) {
    if (node.type !== 'identifier' || !COMMON.test(node.text)) continue;
    for (const above of node.ancestors()) {
      if (/^(?:statement_block|program|arguments|call_expression)$/.test(above.type)) break;
      if (
        (above.type === 'for_in_statement' &&
          above.childForField('left') !== null &&
          isIn(node, above.childForField('left'))) ||
        /^(?:formal_parameters|required_parameter|optional_parameter)$/.test(above.type) ||
        (above.type === 'variable_declarator' &&
          isIn(node, above.childForField('name')) &&
          /^(?:object|array|new_expression)$/.test(above.childForField('value')?.type ?? ''))
      )
        names.add(node.text);
    }
  }
  return names;
}

const isIn = (node: SyntaxNode, outer: SyntaxNode | null): boolean =>
  outer !== null && outer.start <= node.start && node.end <= outer.end;

/** The name that an expression begins with. */
function rootOf(node: SyntaxNode): string {
  let at: SyntaxNode | null = node;
  while (at && at.type !== 'identifier') at = at.childForField('object') ?? at.childForField('value');
  return at?.text ?? '';
}

const isModule = (path: string): boolean => /^(?:unittest|pytest|_pytest|builtins|assert)(?:\.|$)/.test(path);

function weightOf(path: string, node: SyntaxNode): TamperingFinding['weight'] | null {
  if (RUNNER.test(path)) return isWritten(node) ? 'error' : null;
  if (GLOBAL.test(path)) return 'error';
  if (LOADING.test(path))
    return /^sys\.modules\.(?!unittest|pytest|_pytest|\*)/.test(path) ? 'info' : 'error';
  if (!LANGUAGE.test(path)) return null;
  // What is put in where it is missing replaces nothing.
  for (const above of node.ancestors())
    if (
      above.type === 'if_statement' &&
      /!|not |undefined|hasattr|typeof|in /.test(above.childForField('condition')?.text ?? '')
    )
      return 'info';
  return isWritten(node) ? 'error' : 'info';
}

/** Whether what is put there was written here: a function, or a value, and not a saved original that is put back. */
const isWritten = (node: SyntaxNode): boolean => {
  const right = node.childForField('right');
  return (
    right === null ||
    isFunctionNode(right) ||
    right.type !== 'identifier' ||
    !/^(?:orig|old|saved|real|prev|_orig)/i.test(right.text)
  );
};

/** Values that claim to be equal to whatever they are compared with. */
export function findAlwaysEqualValues(root: SyntaxNode): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  const add = (node: SyntaxNode, weight: TamperingFinding['weight'] = 'error'): void => {
    found.push({
      rule: 'equal_to_everything',
      key: node.text.slice(0, 300),
      line: node.line,
      message: 'a value that claims to be equal to anything',
      weight,
    });
  };
  for (const node of root.walk()) {
    if (
      node.type === 'function_definition' &&
      /^__(?:eq|ne)__$/.test(node.childForField('name')?.text ?? '')
    ) {
      if (answers(node, node.childForField('name')?.text === '__eq__' ? 'True' : 'False')) add(node);
    } else if (
      node.type === 'lambda' &&
      /__eq__/.test(holderOf(node)) &&
      node.childForField('body')?.text === 'True'
    )
      add(node);
    else if (
      /^(?:method_definition|pair)$/.test(node.type) &&
      /^(?:asymmetricMatch|equals|valueOf|\[Symbol\.toPrimitive\])$/.test(nameOf(node))
    ) {
      const fn = node.type === 'pair' ? node.childForField('value') : node;
      const isValue = /^(?:valueOf|\[Symbol\.toPrimitive\])$/.test(nameOf(node));
      if (fn && !isValue && answers(fn, 'true')) add(node);
      if (fn && isValue && isConstant(fn)) add(node, 'warning');
    }
  }
  return found;
}

const holderOf = (node: SyntaxNode): string =>
  (node.parent?.childForField('left') ?? node.parent?.childForField('key'))?.text ?? '';
const nameOf = (node: SyntaxNode): string =>
  (node.childForField('name') ?? node.childForField('key'))?.text ?? '';

/** Whether all that a function does is to give this answer. */
function answers(fn: SyntaxNode, answer: string): boolean {
  const [first, ...others] = getBodyStatements(fn);
  if (!first || others.length > 0) return false;
  return first.text === answer || new RegExp(`^return\\s+\\(?${answer}\\)?;?$`).test(first.text.slice(0, 60));
}

const isConstant = (fn: SyntaxNode): boolean => {
  const [first, ...others] = getBodyStatements(fn);
  if (!first || others.length > 0) return false;
  const value = first.type === 'return_statement' ? (first.namedChildren[0] ?? null) : first;
  return value !== null && /^(?:number|string)$/.test(value.type);
};
