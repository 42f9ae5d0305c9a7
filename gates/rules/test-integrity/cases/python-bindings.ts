import { pythonRole } from '../../../code/names/python.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { type Bindings, bindings, type Imported, type Modules } from './bindings.ts';

/** Packages that run tests or assert, and parts of the language that carry nothing of the project. */
const NEUTRAL =
  /^(?:unittest|pytest|_pytest|mock|nose|hypothesis|typing|math|json|re|string|copy|random|collections|itertools|functools|decimal|fractions|datetime|time|enum|dataclasses|textwrap|operator)(?:\.|$)/;
const BUILTINS = new Set(
  'len list dict set tuple frozenset range str int float bool bytes complex sorted reversed enumerate zip map filter sum min max abs round any all isinstance issubclass type repr print iter next hash id object super ValueError TypeError KeyError IndexError AttributeError Exception RuntimeError AssertionError ZeroDivisionError StopIteration NotImplementedError OSError True False None'.split(
    ' ',
  ),
);
const UNITS = new Set([
  'assignment',
  'augmented_assignment',
  'expression_statement',
  'for_statement',
  'with_statement',
  'function_definition',
  'as_pattern',
]);

const isName = (node: Syntax): boolean =>
  node.type === 'identifier' &&
  !(node.parent?.type === 'attribute' && node.field === 'attribute') &&
  !(node.parent?.type === 'keyword_argument' && node.field === 'name');

/** A test is no statement of itself, and what is asserted says nothing of where it comes from. */
const isUnit = (node: Syntax): boolean => {
  if (!UNITS.has(node.type)) return false;
  if (node.type === 'function_definition') return !/^test|^setUp|^setup/.test(node.child('name')?.text ?? '');
  return !(node.type === 'expression_statement' && /^self\.assert/.test(node.text.slice(0, 12)));
};

/** The names of a file of Python. */
export function pythonBindings(root: Syntax, modules: Modules): Bindings {
  const imports = new Map<string, Imported>();
  const functions = new Map<string, Syntax>();
  const bound = new Set<string>();
  for (const node of root.walk()) {
    if (node.type === 'import_statement' || node.type === 'import_from_statement') importsOf(node, imports);
    if (node.type === 'function_definition') functions.set(node.child('name')?.text ?? '', node);
    // Parameters of tests are fixtures, and nobody knows from here what they are.
    if (isName(node) && pythonRole(node) !== 'uses' && !isParameter(node)) bound.add(node.text);
  }
  const members = membersAsked(root, imports);
  return bindings(root, imports, functions, bound, new Set(), modules, {
    isName,
    isUnit,
    linked: (node) => (node.type === 'class_definition' ? handedDown(node, members) : []),
    isNeutral: (name) => BUILTINS.has(name) || NEUTRAL.test(name),
    memberOf: ({ parent, field }) =>
      parent?.type === 'attribute' && field === 'object' ? (parent.child('attribute')?.text ?? null) : null,
  });
}

/** Members that are asked of values, other than of `self` and of what is imported. */
function membersAsked(root: Syntax, imports: ReadonlyMap<string, Imported>): Set<string> {
  const members = new Set<string>();
  for (const node of root.walk()) {
    const object = node.type === 'attribute' ? node.child('object') : null;
    if (object && !/^(?:self|cls)$/.test(object.text.slice(0, 5)) && !imports.has(object.text.slice(0, 200)))
      members.add(node.child('attribute')?.text ?? '');
  }
  return members;
}

/** A class and what it inherits from, where tests ask it for more than it says itself: all of its own would be a stand-in. */
function handedDown(node: Syntax, members: ReadonlySet<string>): string[] {
  const above = node.child('superclasses');
  const body = node.child('body');
  if (!above || !body) return [];
  const own = new Set<string>();
  let asksAbove = false;
  for (const each of body.walk()) {
    if (each.type === 'function_definition') own.add(each.child('name')?.text ?? '');
    if (each.type === 'attribute' && each.field === 'left' && each.child('object')?.text === 'self')
      own.add(each.child('attribute')?.text ?? '');
    asksAbove ||= each.type === 'call' && each.child('function')?.text === 'super';
  }
  if (!asksAbove && [...members].every((member) => own.has(member))) return [];
  const bases = [...above.walk()].filter(isName).map(({ text }) => text);
  return [node.child('name')?.text ?? '', ...bases];
}

const isParameter = (node: Syntax): boolean => {
  for (const above of node.ancestors()) {
    if (above.type === 'parameters' || above.type === 'lambda_parameters') return true;
    if (/_statement$|^block$|^module$/.test(above.type)) return false;
  }
  return false;
};

function importsOf(statement: Syntax, imports: Map<string, Imported>): void {
  const { line } = statement;
  const module = statement.child('module_name')?.text ?? '';
  for (const each of statement.childrenAt('name')) {
    const aliased = each.type === 'aliased_import';
    const name = (aliased ? each.child('name') : each)?.text ?? '';
    const local = aliased ? (each.child('alias')?.text ?? '') : name;
    if (module === '')
      imports.set(aliased ? local : (name.split('.')[0] ?? ''), { specifier: name, name: '*', line });
    else imports.set(local, { specifier: module, name, line });
  }
}
