import { FUNCTIONS } from '../../../code/functions.ts';
import { stringValue } from '../../../code/literal.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { type Aliases, pathOf } from '../../suppressions/code/paths.ts';
import { isElsewhere } from '../../tests/elsewhere.ts';

/** Options after which a runner of JavaScript leaves a test out, or wants it to fail. */
const OPTION = /^(?:skip|todo|fails|failing|expectFailure)$/;
const MARK = /^pytest\.mark\.(?:skip|skipif|xfail)$/;
const SKIPS =
  /^(?:pytest\.(?:skip|xfail|importorskip|skip\.Exception)|unittest(?:\.case)?\.SkipTest|_pytest\.outcomes\.(?:skip|xfail|Skipped|XFailed)|self\.skipTest)$/;

/** Whether a test of JavaScript leaves itself out: by its options, or by what the runner hands to it. */
export function leavesOutJavascript(
  args: readonly Syntax[],
  body: Syntax | null,
  definition: (name: string) => Syntax | null,
): boolean {
  return (
    args.some((each) => hasOption(each.type === 'identifier' ? definition(each.text) : each)) ||
    asksContext(body)
  );
}

function hasOption(options: Syntax | null): boolean {
  if (options?.type !== 'object') return false;
  return options.namedChildren.some((each) =>
    each.type === 'pair'
      ? OPTION.test(stringValue(each.child('key')) ?? each.child('key')?.text ?? '') &&
        !/^(?:false|undefined|null)$/.test(each.child('value')?.text.slice(0, 12) ?? '') &&
        !isElsewhere('.js', each.source, each.start)
      : each.type === 'shorthand_property_identifier' && OPTION.test(each.text),
  );
}

/** `(t) => { t.skip(); … }`, `({ skip }) => { skip(); … }` */
function asksContext(body: Syntax | null): boolean {
  const parameters = body?.child('parameters') ?? body?.child('parameter') ?? null;
  const first = parameters?.type === 'formal_parameters' ? parameters.namedChildren[0] : parameters;
  const given = first?.child('pattern') ?? first ?? null;
  const statements = body?.child('body');
  if (!given || !statements) return false;
  const names =
    given.type === 'object_pattern'
      ? given.namedChildren.flatMap(({ type, text }) =>
          type === 'shorthand_property_identifier_pattern' && /^(?:skip|todo)$/.test(text) ? [text] : [],
        )
      : [`${given.text}.skip`, `${given.text}.todo`];
  for (const node of statements.walk(({ type }) => !FUNCTIONS.has(type)))
    if (node.type === 'call_expression' && names.includes(node.child('function')?.text.slice(0, 80) ?? ''))
      return true;
  return false;
}

/** Whether a piece of Python leaves the test out that it is in, under whatever name. */
export function leavesOutPython(body: Syntax, aliases: Aliases): boolean {
  for (const node of body.walk()) {
    if (node.type === 'attribute' && MARK.test(pathOf(node, aliases) ?? '')) return true;
    const called =
      node.type === 'call'
        ? node.child('function')
        : node.type === 'raise_statement'
          ? (node.namedChildren[0] ?? null)
          : null;
    if (called && called.type !== 'call' && SKIPS.test(pathOf(called, aliases) ?? '')) return true;
  }
  return false;
}
