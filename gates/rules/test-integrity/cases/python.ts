import type { Syntax } from '../../../code/syntax.ts';
import { type Aliases, aliasesOf, pathOf } from '../../suppressions/code/paths.ts';
import type { Modules } from './bindings.ts';
import { gather, MAX_LOOKS, type Reading } from './gather.ts';
import { leavesOutPython } from './left-out.ts';
import type { Oddity, Reach, ReadTests } from './model.ts';
import { pythonBindings } from './python-bindings.ts';
import { lastName, positional, pythonAssertion } from './python-levels.ts';
import { pythonOddities } from './python-oddities.ts';
import { reachOf } from './reach.ts';
import { standIns } from './stand-ins.ts';

/** The tests of a file of Python. */
export function pythonTests(root: Syntax, modules: Modules): ReadTests {
  const bindings = pythonBindings(root, modules);
  const reading: Reading = {
    root,
    bindings,
    assertionAt: pythonAssertion,
    callee: (node) => {
      if (node.type !== 'call') return null;
      const callee = node.child('function');
      if (callee?.type === 'identifier') return callee.text;
      return callee?.type === 'attribute' && callee.child('object')?.text === 'self'
        ? lastName(callee)
        : null;
    },
    rows: (node, top) =>
      node.type === 'for_statement'
        ? lengthOf(node.child('right'), top)
        : node.type === 'while_statement'
          ? null
          : 1,
    budget: { nodes: MAX_LOOKS },
    matchers: new Map(),
    standIns: standIns(root, bindings),
  };
  const aliases = aliasesOf(root);
  const oddities: Oddity[] = pythonOddities(root, bindings);
  const prepares = [...root.walk()].filter(
    (node) =>
      node.type === 'function_definition' &&
      PREPARES.test(node.child('name')?.text ?? '') &&
      leavesOutPython(node, aliases),
  );
  const isLeftOutBefore = (test: Syntax): boolean =>
    prepares.some((each) => {
      const owner = classOf(each);
      return owner === null || owner === classOf(test);
    });
  const cases = [...root.walk()]
    .filter((node) => node.type === 'function_definition' && /^test/.test(node.child('name')?.text ?? ''))
    .map((node) => {
      const outer = parametrized(node, root);
      const [reach, why] =
        outer === 0
          ? (['never', 'goes through a table without rows'] as const)
          : reachOfCase(node, root, bindings.isUsed, aliases);
      return gather(reading, {
        name: node.child('name')?.text ?? '',
        line: node.line,
        node: node.parent?.type === 'decorated_definition' ? node.parent : node,
        body: node.child('body') ?? node,
        reach,
        why,
        outer,
        leftOut: isLeftOutBefore(node) || leavesOutPython(node, aliases),
      });
    });
  return { cases, oddities, made: new Set(bindings.functions.keys()) };
}

function reachOfCase(
  node: Syntax,
  root: Syntax,
  isUsed: (name: string) => boolean,
  aliases: Aliases,
): [Reach, string | null] {
  const holder = node.parent?.type === 'decorated_definition' ? node.parent : node;
  if (isLeftOut(holder, aliases) || isLeftOut(classOf(node)?.parent ?? null, aliases))
    return ['never', 'is left out by a decorator under another name'];
  if (
    holder !== node &&
    /^@(?:\w+\.)*(?:fixture|property|staticmethod|abstractmethod|overload)\b/m.test(
      holder.text.slice(0, 2_000),
    )
  )
    return ['never', 'is no test for the runner'];
  if (isShadowed(holder, node.child('name')?.text ?? ''))
    return ['never', 'is replaced by something of the same name'];
  if (
    [
      ...(node.child('body')?.walk(({ type }) => type !== 'function_definition' && type !== 'lambda') ?? []),
    ].some(({ type }) => type === 'yield')
  )
    return ['never', 'is a generator, which runners do not run'];
  for (const above of node.ancestors()) {
    if (above.type === 'function_definition')
      return isUsed(above.child('name')?.text ?? '')
        ? ['runs', null]
        : ['never', 'is within a function that nobody calls'];
    if (above.type !== 'class_definition') continue;
    const why = notCollected(above, node, isUsed);
    if (why !== null) return ['never', why];
    break;
  }
  if (/^__test__\s*=\s*False\b/m.test(topLevel(root))) return ['never', 'is in a module that is no test'];
  const reach = reachOf(holder, root, { isUsed, asserts: () => true });
  return [
    reach,
    reach === 'runs'
      ? null
      : reach === 'never'
        ? 'is where it is never run'
        : 'is run under a condition only',
  ];
}

/** Skipped by a name that does not say so; the plain names are counted elsewhere. */
function isLeftOut(holder: Syntax | null, aliases: Aliases): boolean {
  if (holder?.type !== 'decorated_definition') return false;
  return holder.children.some((decorator) => {
    const [asked = null] = decorator.type === 'decorator' ? decorator.namedChildren : [];
    const name = asked?.type === 'call' ? asked.child('function') : asked;
    return !LEFT_OUT.test(name?.text.slice(-80) ?? '') && LEFT_OUT.test(pathOf(name, aliases) ?? '');
  });
}
const LEFT_OUT = /(?:^|\.)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)$/;

/** Functions that run before tests. */
const PREPARES = /^(?:setUp(?:Class|Module)?|asyncSetUp|setup_(?:method|class|module|function))$/;

/** Assignments at the top of a file, as text. */
const topLevel = (root: Syntax): string =>
  root.namedChildren
    .filter(({ type, start, end }) => type === 'expression_statement' && end - start < 200)
    .map(({ text }) => text)
    .join('\n');

/** Why no runner takes a method for a test; null when one does. */
function notCollected(owner: Syntax, method: Syntax, isUsed: (name: string) => boolean): string | null {
  const name = owner.child('name')?.text ?? '';
  const bases = (owner.child('superclasses')?.namedChildren ?? []).filter(
    ({ type, text }) => type !== 'keyword_argument' && type !== 'comment' && text !== 'object',
  );
  const body = owner.child('body');
  const own = body?.namedChildren ?? [];
  const holder = owner.parent?.type === 'decorated_definition' ? owner.parent : owner;
  if (isShadowed(holder, name)) return 'is in a class that is replaced by another of the same name';
  if (
    own.some(
      ({ type, text }) =>
        type === 'expression_statement' && /^__test__\s*=\s*False\b/.test(text.slice(0, 40)),
    )
  )
    return 'is in a class that says it is no test';
  if (bases.length > 0) {
    const isCase = bases.some(({ text }) => /(?:^|\.)TestCase$/.test(text));
    if (isCase && method.children[0]?.type === 'async')
      return 'is asynchronous, in a class that awaits nothing';
    return null;
  }
  if (!/^Test/.test(name) && !isUsed(name)) return 'is in a class that no runner takes for tests';
  const isInit = (each: Syntax): boolean =>
    (each.type === 'decorated_definition' ? each.child('definition') : each)?.child('name')?.text ===
    '__init__';
  return own.some(isInit) ? 'is in a class with a constructor, which no runner takes for tests' : null;
}

/** Whether something later in the same block has the same name, or deletes it. */
function isShadowed(node: Syntax, name: string): boolean {
  const siblings = node.parent?.children ?? [];
  return siblings.slice(siblings.indexOf(node) + 1).some((each) => {
    const definition = each.type === 'decorated_definition' ? each.child('definition') : each;
    if (definition?.type === 'function_definition' || definition?.type === 'class_definition')
      return definition.child('name')?.text === name;
    if (each.type === 'delete_statement') return new RegExp(`\\b${name}\\b`).test(each.text.slice(0, 500));
    const assigned = each.type === 'expression_statement' ? each.namedChildren[0] : null;
    return assigned?.type === 'assignment' && assigned.child('left')?.text === name;
  });
}

/** Rows of the tables that decorators give a test; null when nobody knows. */
function parametrized(node: Syntax, root: Syntax): number | null {
  let rows: number | null = 1;
  for (const holder of [node.parent, classOf(node)?.parent])
    for (const decorator of holder?.type === 'decorated_definition' ? holder.children : []) {
      const call = decorator.type === 'decorator' ? decorator.namedChildren[0] : null;
      if (call?.type !== 'call') continue;
      const name = lastName(call.child('function'));
      if (!/^(?:parametrize|parameterized|expand|data|idata)$/.test(name)) continue;
      const table = name === 'parametrize' ? (positional(call)[1] ?? null) : (positional(call)[0] ?? null);
      const more = name === 'data' ? positional(call).length : lengthOf(table, root);
      rows = rows === null || more === null ? null : rows * more;
    }
  return rows;
}

const classOf = (node: Syntax): Syntax | null => {
  for (const above of node.ancestors()) if (above.type === 'class_definition') return above;
  return null;
};

/** The length of a list that is written out; null when nobody knows. */
function lengthOf(node: Syntax | null, root: Syntax): number | null {
  if (node === null) return null;
  if (node.type === 'parenthesized_expression') return lengthOf(node.namedChildren[0] ?? null, root);
  if (node.type === 'identifier') {
    const value = definition(node.text, root);
    const length = value?.type === 'identifier' ? null : lengthOf(value, root);
    // What is empty where it is defined may be filled later.
    return length === 0 && root.text.split(node.text, 4).length > 3 ? null : length;
  }
  if (
    node.type === 'call' &&
    /\.(?:items|keys|values)$|^(?:enumerate|zip|sorted|list|tuple)$/.test(node.child('function')?.text ?? '')
  )
    return lengthOf(positional(node)[0] ?? node.child('function')?.child('object') ?? null, root);
  if (!/^(?:list|tuple|set|dictionary|expression_list)$/.test(node.type)) return null;
  const items = node.namedChildren.filter(({ type }) => type !== 'comment');
  return items.some(({ type }) => /splat/.test(type)) ? null : items.length;
}

/** What a name stands for: at the top of the file, or else in the only place that says it. */
const definition = (name: string, root: Syntax): Syntax | null => {
  for (const statement of root.namedChildren) {
    const assignment = statement.type === 'expression_statement' ? statement.namedChildren[0] : null;
    if (assignment?.type === 'assignment' && assignment.child('left')?.text === name)
      return assignment.child('right');
  }
  const within = [...root.walk()].filter(
    (node) => node.type === 'assignment' && node.child('left')?.text === name,
  );
  return within.length === 1 ? (within[0]?.child('right') ?? null) : null;
};
