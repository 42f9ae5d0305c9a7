import type { Syntax } from '../../../code/syntax.ts';
import { truthOf } from '../../dead-code/constant.ts';
import type { Assertion, Level } from './model.ts';

const EXACT =
  /^assert(?:Equals?|Is|IsNone|CountEqual|ItemsEqual|DictEqual|ListEqual|TupleEqual|SetEqual|SequenceEqual|MultiLineEqual|Raises|RaisesRegex|Warns|WarnsRegex|Logs|NoLogs)$|^assert_(?:called_with|called_once_with|has_calls|any_call|awaited_with|equal|array_equal|frame_equal|series_equal|not_called)$/;
const PARTIAL =
  /^assert(?:In|Regex|RegexpMatches|Greater|GreaterEqual|Less|LessEqual|DictContainsSubset)$|^assert_(?:called_once|awaited_once)$/;
const NEAR =
  /^assert(?:AlmostEqual|AlmostEquals|_allclose|_almost_equal)$|^assert_(?:allclose|almost_equal|approx_equal)$/;
const TRUTH = /^assert(?:True|_)$/;

const short = (node: Syntax | null): string => (node && node.end - node.start < 200 ? node.text : '');
export const positional = (call: Syntax): Syntax[] =>
  (call.child('arguments')?.namedChildren ?? []).filter(
    ({ type }) => type !== 'comment' && type !== 'keyword_argument',
  );
const keyword = (call: Syntax, name: string): Syntax | null =>
  (call.child('arguments')?.namedChildren ?? [])
    .find((each) => each.type === 'keyword_argument' && each.child('name')?.text === name)
    ?.child('value') ?? null;
/** The last name of what is called: `assertEqual` of `self.assertEqual`. */
export const lastName = (callee: Syntax | null): string =>
  callee?.type === 'attribute' ? (callee.child('attribute')?.text ?? '') : (callee?.text ?? '');

/** The assertion that a node is; null when it is none. */
export function pythonAssertion(node: Syntax): Assertion | null {
  if (node.type === 'assert_statement') {
    const asked = node.namedChildren[0] ?? null;
    return { node, level: expression(asked), subjects: asked ? [asked] : [] };
  }
  if (node.type !== 'call') return null;
  const name = lastName(node.child('function'));
  const args = positional(node);
  const level = levelOf(name, node, args);
  return level === null ? null : { node, level, subjects: subjectsOf(node, name, args) };
}

/** `mock.assert_called_with(1)` looks at the mock, `with assertRaises(E):` at what stands in its block. */
function subjectsOf(call: Syntax, name: string, args: readonly Syntax[]): readonly Syntax[] {
  const object = call.child('function')?.child('object') ?? null;
  if (name.startsWith('assert_') && object) return [object, ...args];
  if (!/Raises|raises|Warns|warns|Logs/.test(name)) return args;
  for (const above of call.ancestors()) {
    if (above.type === 'with_statement') return [above];
    if (above.type === 'block') break;
  }
  return args;
}

function levelOf(name: string, call: Syntax, args: readonly Syntax[]): Level | null {
  const [first = null, second = null] = args;
  if (
    /^(?:raises|warns|deprecated_call)$/.test(name) &&
    /^(?:pytest\.)?\w+$/.test(short(call.child('function')))
  )
    return raising(first);
  if (
    !/^assert/.test(name) ||
    (call.child('function')?.type === 'identifier' &&
      !/^assert_(?:equal|array_equal|allclose|almost_equal|frame_equal|series_equal|approx_equal)$/.test(
        name,
      ))
  )
    return null;
  if (/^assert(?:Raises|Warns)/.test(name)) return raising(first);
  if (EXACT.test(name)) return args.length > 1 ? equality(first, second) : 3;
  if (NEAR.test(name)) return isNear(call, second) ? 3 : 1;
  if (PARTIAL.test(name)) return /Regex/.test(name) && isAnything(second) ? 0 : 2;
  if (TRUTH.test(name)) return expression(first);
  if (name === 'assertFalse') return expression(first) === 0 ? 0 : 1;
  return 1;
}

/** Any error at all is not much to ask for. */
const raising = (kind: Syntax | null): Level =>
  kind?.type === 'tuple'
    ? (Math.min(3, ...kind.namedChildren.map(raising)) as Level)
    : /^AssertionError$/.test(short(kind))
      ? 0
      : /^(?:Base)?Exception$/.test(short(kind))
        ? 2
        : 3;
const isAnything = (node: Syntax | null): boolean => /^r?["'](?:\.\*|\.\+|\^|\$)?["']$/.test(short(node));

/** Whether a tolerance is one for rounding, and not for being wrong. */
function isNear(call: Syntax, expected: Syntax | null): boolean {
  const delta = short(keyword(call, 'delta') ?? keyword(call, 'atol'));
  const places = short(keyword(call, 'places') ?? keyword(call, 'decimal'));
  const relative = short(keyword(call, 'rtol'));
  if (relative !== '' && Number(relative) > 0.05) return false;
  if (places !== '' && Number(places) < 1) return false;
  if (delta === '') return true;
  const value = Math.abs(Number(short(expected)));
  return Number(delta) <= (value > 0 ? Math.max(0.01, value * 0.01) : 0.1) || Number.isNaN(Number(delta));
}

function equality(left: Syntax | null, right: Syntax | null): Level {
  if (!left || !right) return 1;
  if (short(left) !== '' && left.text === right.text) return left.type === 'call' ? 1 : 0;
  if ([left, right].some((side) => /^(?:\w+\.)?ANY$/.test(short(side)))) return 0;
  if (
    [left, right].some(
      (side) =>
        side.type === 'call' &&
        /^(?:type|callable|hasattr|bool|isinstance|issubclass)$/.test(short(side.child('function'))),
    )
  )
    return 1;
  for (const side of [left, right])
    if (side.type === 'call' && /^(?:pytest\.)?approx$/.test(short(side.child('function')))) {
      const [relative, absolute] = [short(keyword(side, 'rel')), short(keyword(side, 'abs'))];
      const value = Math.abs(Number(short(positional(side)[0] ?? null)));
      if (Number(relative || '0') > 0.05 || Number(absolute || '0') > Math.max(0.1, value * 0.05 || 0.1))
        return 1;
    }
  for (const [side, other] of [
    [left, right],
    [right, left],
  ] as const)
    if (
      /^(?:true|false)$/.test(other.type) &&
      /^(?:comparison_operator|boolean_operator|not_operator)$/.test(side.type)
    )
      return expression(side);
  return 3;
}

/** How much it asks that an expression is true. */
export function expression(node: Syntax | null): Level {
  if (node === null || truthOf(node) !== null) return 0;
  switch (node.type) {
    case 'parenthesized_expression':
      return expression(node.namedChildren[0] ?? null);
    // `assert (x, "message")` is always true.
    case 'tuple':
    case 'list':
    case 'dictionary':
    case 'string':
    case 'lambda':
    case 'generator_expression':
      return 0;
    case 'boolean_operator': {
      const [left, right] = [node.child('left'), node.child('right')];
      if (node.child('operator')?.text === 'and')
        return Math.max(expression(left), expression(right)) as Level;
      return truthOf(left) === true || truthOf(right) === true
        ? 0
        : (Math.min(2, expression(left), expression(right)) as Level);
    }
    case 'not_operator':
      return Math.min(1, expression(node.child('argument'))) as Level;
    case 'comparison_operator':
      return comparison(node);
    case 'call':
      return /\.(?:startswith|endswith|match|search|fullmatch)$|^(?:all|any)$/.test(
        short(node.child('function')),
      )
        ? 2
        : 1;
    default:
      return 1;
  }
}

function comparison(node: Syntax): Level {
  const sides = node.namedChildren.filter(({ type }) => type !== 'comment');
  const operators = node.childrenAt('operators').map(({ text }) => text);
  if (sides.length > 2) return operators.every((each) => each === '==') ? 3 : 2;
  const [left = null, right = null] = sides;
  switch (operators.join(' ')) {
    case '==':
    case 'is':
      return equality(left, right);
    case '<':
    case '<=':
      return left?.type === 'call' && short(left.child('function')) === 'abs'
        ? Number(short(right)) > 0.1
          ? 1
          : 3
        : 2;
    case '>':
    case '>=':
    case 'in':
      return 2;
    default:
      return 1;
  }
}
