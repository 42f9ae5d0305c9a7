import { stringValue } from '../../../code/literal.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Bindings } from './bindings.ts';

/** A name whose place something else takes, and where that is said. */
export interface StandIn {
  readonly name: string;
  readonly node: Syntax;
}

const REPLACES = /(?:^|\.)(?:patch|object|setattr|spyOn|method|stub|replace|fake)$/;
const ANSWERS =
  /\.(?:mock(?:Return|Resolved|Rejected|Implementation)\w*|returns|resolves|callsFake|and\.returnValue)\b/;
const argumentsOf = (call: Syntax): Syntax[] =>
  (call.child('arguments')?.namedChildren ?? []).filter(({ type }) => type !== 'comment');

/** What a file of tests puts in the place of the project's code. Whoever asserts on that asserts on the test. */
export function standIns(root: Syntax, { imports, ownNames }: Bindings): StandIn[] {
  const found: StandIn[] = [];
  for (const node of root.walk()) {
    if (node.type === 'call' || node.type === 'call_expression') {
      for (const name of byCall(node, imports, root)) found.push({ name, node });
    } else if (node.type === 'assignment' || node.type === 'assignment_expression') {
      const left = node.child('left');
      const object =
        left?.type === 'attribute' || left?.type === 'member_expression' ? left.child('object') : null;
      const [member] = object ? ownNames(object) : [];
      if (member !== undefined && object && imports.get(object.text)?.name === '*')
        found.push({ name: member, node });
      // `tax = lambda …` in a test hides what was imported.
      else if (left?.type === 'identifier' && imports.has(left.text) && ownNames(left).length > 0)
        found.push({ name: left.text, node });
    }
  }
  return found;
}

function byCall(call: Syntax, imports: Bindings['imports'], root: Syntax): string[] {
  const callee = call.child('function')?.text.slice(-60) ?? '';
  const args = argumentsOf(call);
  const first = stringValue(args[0] ?? null);
  if (/(?:^|\.)(?:jest|vi)\.(?:mock|doMock)$/.test(callee) && first !== null)
    return mockedModule(first, args[1] ?? null, imports, root);
  if (!REPLACES.test(callee) || call.text.slice(0, 1_000).includes('wraps')) return [];
  const second = stringValue(args[1] ?? null);
  if (first !== null) return callee.endsWith('spyOn') ? [] : [first.split('.').at(-1) ?? ''];
  if (second === null) return [];
  // A spy looks on, unless it is told what to answer.
  if (callee.endsWith('spyOn') && !ANSWERS.test(call.parent?.parent?.parent?.text.slice(0, 600) ?? ''))
    return [];
  if (callee.endsWith('method') && args.length < 3) return [];
  return [second];
}

/** The names that a file imports from a module that is replaced as a whole, or of which a factory makes some anew. */
function mockedModule(
  specifier: string,
  factory: Syntax | null,
  imports: Bindings['imports'],
  root: Syntax,
): string[] {
  const names = [...imports]
    .filter(([, each]) => each.specifier === specifier)
    .flatMap(([local, { name }]) => (name === '*' ? [local, ...membersOf(local, root)] : [local]));
  const text = factory?.text.slice(0, 4_000) ?? '';
  if (!/(?:require|import)Actual|importOriginal/.test(text)) return names;
  return names.filter((name) =>
    new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}\\s{0,5}[:(,]`).test(text),
  );
}

/** The members of a module that a file asks for. */
const membersOf = (local: string, root: Syntax): string[] =>
  [...root.walk()].flatMap((node) =>
    node.type === 'member_expression' && node.child('object')?.text === local
      ? [node.child('property')?.text ?? '']
      : [],
  );

/** Whether an expression asks a stand-in, directly or through a name that keeps its answer. */
export function asksStandIn(subject: Syntax, names: ReadonlySet<string>, kept: ReadonlySet<string>): boolean {
  for (const node of subject.walk()) {
    if (node.type === 'call' || node.type === 'call_expression') {
      const callee = node.child('function');
      const last = callee?.child('property') ?? callee?.child('attribute') ?? callee;
      if (last && names.has(last.text)) return true;
    }
    if (node.type === 'identifier' && kept.has(node.text)) return true;
  }
  return false;
}
