import { FUNCTIONS } from '../../../code/functions.ts';
import { stringValue } from '../../../code/literal.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Modules } from './bindings.ts';
import { gather, MAX_LOOKS, type Reading } from './gather.ts';
import { bindingsOf } from './javascript-bindings.ts';
import { isTestCall } from './javascript-frames.ts';
import { argumentsOf, javascriptAssertion } from './javascript-levels.ts';
import { replacedRunner } from './javascript-runner.ts';
import { leavesOutJavascript } from './left-out.ts';
import { matchersOf } from './matchers.ts';
import type { Reach, ReadTests } from './model.ts';
import { reachOf } from './reach.ts';
import { standIns } from './stand-ins.ts';

/** The tests of a file of JavaScript or TypeScript. */
export function javascriptTests(root: Syntax, modules: Modules): ReadTests {
  const bindings = bindingsOf(root, modules);
  const calls: Syntax[] = [];
  for (const node of root.walk()) if (node.type === 'call_expression' && isTestCall(node)) calls.push(node);
  const reading: Reading = {
    root,
    bindings,
    assertionAt: (node) => javascriptAssertion(node, bindings.asserts),
    callee: (node) => {
      const callee = node.type === 'call_expression' ? node.child('function') : null;
      return callee?.type === 'identifier' ? callee.text : null;
    },
    rows: tableRows,
    budget: { nodes: MAX_LOOKS },
    matchers: matchersOf(root),
    standIns: standIns(root, bindings),
  };
  return {
    cases: calls.map((call) => {
      const args = argumentsOf(call);
      const body = args.findLast(({ type }) => FUNCTIONS.has(type)) ?? null;
      const name = stringValue(args[0] ?? null) ?? args[0]?.text.slice(0, 200) ?? '';
      const outer = outerRows(call, root);
      const [reach, why] =
        outer === 0
          ? (['never', 'goes through a table without rows'] as const)
          : reachOfCase(call, body, root, reading);
      return gather(reading, {
        name,
        line: call.line,
        node: call,
        body: body ?? call,
        reach,
        why,
        outer,
        leftOut: leavesOutJavascript(args, body, (each) => definition(each, root)),
      });
    }),
    oddities: replacedRunner(root, bindings),
    made: new Set(bindings.functions.keys()),
  };
}

function reachOfCase(
  call: Syntax,
  body: Syntax | null,
  root: Syntax,
  reading: Reading,
): [Reach, string | null] {
  if (body?.type.startsWith('generator')) return ['never', 'is a generator, which no runner runs'];
  const reach = reachOf(call, root, {
    isUsed: reading.bindings.isUsed,
    asserts: () => true,
  });
  if (reach === 'never') return [reach, 'is where it is never run'];
  return [reach, reach === 'may_run' ? 'is run under a condition only' : null];
}

/** How many rows the tables have that a test goes through on its way from the top of the file. */
function outerRows(call: Syntax, root: Syntax): number | null {
  let rows: number | null = 1;
  const multiply = (more: number | null): void => {
    rows = rows === null || more === null ? null : rows * more;
  };
  for (let at: Syntax | null = call.child('function'); at; at = at.child('function') ?? at.child('object')) {
    if (at.type !== 'call_expression' || !/\.(?:each|for)$/.test(at.child('function')?.text.slice(-6) ?? ''))
      continue;
    multiply(tableOf(at, root));
  }
  for (const node of [call, ...call.ancestors()]) {
    const table = node === call || node.type !== 'call_expression' ? null : node.child('function');
    if (
      table?.type === 'call_expression' &&
      /\.(?:each|for)$/.test(table.child('function')?.text.slice(-6) ?? '')
    )
      multiply(tableOf(table, root));
    const more = tableRows(node, root);
    if (more !== 1) multiply(more);
  }
  return rows;
}

function tableOf(call: Syntax, root: Syntax): number | null {
  const table = argumentsOf(call)[0] ?? null;
  if (table) return lengthOf(table, root);
  const template = call.child('arguments');
  return template?.type === 'template_string'
    ? template.text.split('\n').filter((line) => line.includes('${')).length
    : null;
}

/** Rows of a loop over a list, or of `forEach` on one; 1 for anything else, null when nobody knows. */
function tableRows(node: Syntax, root: Syntax): number | null {
  if (node.type === 'for_in_statement') return lengthOf(node.child('right'), root);
  if (node.type === 'for_statement' || node.type === 'while_statement') return null;
  if (!FUNCTIONS.has(node.type) || node.parent?.type !== 'arguments') return 1;
  const callee = node.parent.parent?.child('function') ?? null;
  if (callee?.type !== 'member_expression' || !/^(?:forEach|map)$/.test(callee.child('property')?.text ?? ''))
    return 1;
  return lengthOf(callee.child('object'), root);
}

function lengthOf(node: Syntax | null, root: Syntax): number | null {
  if (node === null) return null;
  if (
    node.type === 'as_expression' ||
    node.type === 'parenthesized_expression' ||
    node.type === 'satisfies_expression'
  )
    return lengthOf(node.namedChildren[0] ?? null, root);
  if (node.type === 'identifier') {
    const length = lengthOf(definition(node.text, root), root);
    // What is empty where it is defined may be filled later.
    return length === 0 && isMentioned(root, node.text) ? null : length;
  }
  if (
    node.type === 'call_expression' &&
    /^Object\.(?:entries|keys|values)$/.test(node.child('function')?.text ?? '')
  )
    return lengthOf(argumentsOf(node)[0] ?? null, root);
  if (node.type !== 'array' && node.type !== 'object') return null;
  const items = node.namedChildren.filter(({ type }) => type !== 'comment');
  return items.some(({ type }) => type === 'spread_element') ? null : items.length;
}

/** Whether a name stands anywhere besides its definition and one use. */
const isMentioned = (root: Syntax, name: string): boolean => root.text.split(name, 4).length > 3;

const definition = (name: string, root: Syntax): Syntax | null => {
  for (const node of root.walk(({ type }) => !FUNCTIONS.has(type) || type === 'arrow_function'))
    if (node.type === 'variable_declarator' && node.child('name')?.text === name) {
      const value = node.child('value');
      return value?.type === 'identifier' ? null : value;
    }
  return null;
};
