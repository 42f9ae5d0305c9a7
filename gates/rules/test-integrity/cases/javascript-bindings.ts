import { FUNCTIONS } from '../../../code/functions.ts';
import { stringValue } from '../../../code/literal.ts';
import { javascriptRole } from '../../../code/names/javascript.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { type Bindings, bindings, type Imported, type Modules, namesIn } from './bindings.ts';
import { isFrame } from './javascript-frames.ts';
import { argumentsOf, chainOf } from './javascript-levels.ts';

/** Packages that run tests or assert. */
export const RUNNERS =
  /^(?:(?:node:)?(?:test|assert)(?:\/\w+)?|vitest|@jest\/globals|jest|chai|ava|mocha|sinon|expect|tap|uvu(?:\/assert)?|jasmine|@playwright\/test|bun:test|should|power-assert|qunit)$/;
const GLOBALS = new Set(
  'Object Array Math JSON String Number Boolean Date Map Set WeakMap Promise Symbol RegExp Error TypeError RangeError BigInt parseInt parseFloat console undefined NaN Infinity expect it test describe suite context specify before after beforeEach afterEach beforeAll afterAll jest vi sinon assert t chai require module exports structuredClone isNaN isFinite'.split(
    ' ',
  ),
);
const UNITS = new Set([
  'variable_declarator',
  'assignment_expression',
  'augmented_assignment_expression',
  'for_in_statement',
  'function_declaration',
  'class_declaration',
  'return_statement',
]);

const isName = ({ type }: Syntax): boolean =>
  type === 'identifier' ||
  type === 'shorthand_property_identifier' ||
  type === 'shorthand_property_identifier_pattern';

const isUnit = (node: Syntax): boolean => {
  if (UNITS.has(node.type)) return true;
  if (node.type !== 'expression_statement') return false;
  const first = node.namedChildren[0];
  const call = first?.type === 'await_expression' ? first.namedChildren[0] : first;
  return call?.type === 'call_expression' ? !isFrame(call) : true;
};

/** The names of a file of JavaScript. */
export function bindingsOf(root: Syntax, modules: Modules): Bindings {
  const imports = new Map<string, Imported>();
  const functions = new Map<string, Syntax>();
  const bound = new Set<string>();
  for (const node of root.walk()) {
    if (isName(node) && javascriptRole(node) !== 'uses' && !isFixture(node)) bound.add(node.text);
    if (node.type === 'import_statement') importsOf(node, imports);
    if (node.type === 'variable_declarator') {
      const value = node.child('value');
      const again = value?.type === 'identifier' ? imports.get(value.text) : undefined;
      const specifier =
        again?.name === '*' && node.child('name')?.type === 'object_pattern'
          ? again.specifier
          : requiredBy(value);
      if (specifier !== null) required(node.child('name'), specifier, node.line, imports);
      if (value && FUNCTIONS.has(value.type)) functions.set(node.child('name')?.text ?? '', value);
    }
    if (/^(?:generator_)?function_declaration$/.test(node.type))
      functions.set(node.child('name')?.text ?? '', node);
  }
  const asserts = new Set(['assert', 'expect']);
  for (const [local, { specifier }] of imports)
    if (/assert|chai|uvu/.test(specifier) && !modules.isOwn(specifier)) asserts.add(local);
  return bindings(root, imports, functions, bound, asserts, modules, {
    isName,
    isUnit,
    linked: tableNames,
    isNeutral: (name) => GLOBALS.has(name) || RUNNERS.test(name),
    memberOf: ({ parent, field }) =>
      parent?.type === 'member_expression' && field === 'object'
        ? (parent.child('property')?.text ?? null)
        : null,
  });
}

/** In `test.each(table)(name, (row) => …)`, the names of the table and of what its rows are called. */
function tableNames(node: Syntax): string[] {
  const maker = node.type === 'call_expression' ? node.child('function') : null;
  if (
    maker?.type !== 'call_expression' ||
    !/\.(?:each|for)$/.test(maker.child('function')?.text.slice(-5) ?? '')
  )
    return [];
  const cases = (node.child('arguments')?.namedChildren ?? []).filter(({ type }) => FUNCTIONS.has(type));
  const rows = cases.flatMap((each) => each.child('parameters') ?? each.child('parameter') ?? []);
  const table = maker.child('arguments');
  return [...rows, ...(table ? [table] : [])].flatMap((each) => namesIn(each, isName));
}

/** What a runner hands to a test by name, as in `async ({ page }) => …`, comes from somewhere else. */
const isFixture = ({ type, parent }: Syntax): boolean =>
  type === 'shorthand_property_identifier_pattern' &&
  /^(?:formal_parameters|required_parameter|optional_parameter)$/.test(parent?.parent?.type ?? '');

function importsOf(statement: Syntax, imports: Map<string, Imported>): void {
  const specifier = stringValue(statement.child('source')) ?? '';
  const { line } = statement;
  for (const node of statement.walk()) {
    if (node.type === 'import_specifier') {
      const name = node.child('name')?.text ?? '';
      imports.set(node.child('alias')?.text ?? name, { specifier, name, line });
    } else if (node.type === 'namespace_import')
      imports.set(node.namedChildren[0]?.text ?? '', { specifier, name: '*', line });
    else if (node.type === 'identifier' && node.parent?.type === 'import_clause')
      imports.set(node.text, { specifier, name: '*', line });
  }
}

/** The module that an expression loads: `require('a')`, `require('a').b`, `await import('a')`. */
export function requiredBy(value: Syntax | null): string | null {
  let at = value;
  for (; at; ) {
    if (
      at.type === 'await_expression' ||
      at.type === 'parenthesized_expression' ||
      at.type === 'as_expression'
    )
      at = at.namedChildren[0] ?? null;
    else if (at.type === 'member_expression') at = at.child('object');
    else break;
  }
  if (at?.type !== 'call_expression') return null;
  const callee = at.child('function');
  if (callee?.type !== 'import' && callee?.text !== 'require') return null;
  return stringValue(argumentsOf(at)[0] ?? null);
}

function required(
  pattern: Syntax | null,
  specifier: string,
  line: number,
  imports: Map<string, Imported>,
): void {
  if (pattern?.type === 'identifier') {
    const value = pattern.parent?.child('value') ?? null;
    const { names } = chainOf(value);
    imports.set(pattern.text, { specifier, name: names.at(-1) ?? '*', line });
  }
  if (pattern?.type !== 'object_pattern') return;
  for (const each of pattern.namedChildren) {
    if (each.type === 'shorthand_property_identifier_pattern')
      imports.set(each.text, { specifier, name: each.text, line });
    else if (each.type === 'pair_pattern')
      imports.set(each.child('value')?.text ?? '', { specifier, name: each.child('key')?.text ?? '', line });
  }
}
