import type { Syntax } from '../../../code/syntax.ts';
import { truthOf } from '../../dead-code/constant.ts';
import type { Assertion, Level } from './model.ts';
import { isAwaited, isEmptyList } from './reach.ts';

/** Assertions by the last word of their name. */
const EXACT = new Set(
  'equal equals eql strictEqual deepEqual deepStrictEqual partialDeepStrictEqual is same like sameDeep toBe toEqual toStrictEqual toMatchObject toHaveBeenCalledWith toHaveBeenCalledTimes toHaveBeenLastCalledWith toHaveBeenNthCalledWith toHaveReturnedWith toMatchSnapshot toMatchInlineSnapshot snapshot toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot toBeNull toBeUndefined toBeNaN isNull isUndefined isTrue isFalse rejectedWith calledWith calledOnceWith calledWithExactly'.split(
    ' ',
  ),
);
const PARTIAL = new Set(
  'match regex matches toMatch toContain toContainEqual toHaveLength toHaveProperty toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual include includes contain contains keys members property lengthOf above below within least most closeTo approximately isAbove isBelow isAtLeast isAtMost lengthOf throws rejects throwsAsync throw toThrow toThrowError rejected fulfilled doesNotReject oneOf satisfy calledOnce toHaveBeenCalledOnce'.split(
    ' ',
  ),
);
const VAGUE = new Set(
  'ok notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notOk truthy falsy true false assert toBeTruthy toBeFalsy toBeDefined toBeInstanceOf toBeTypeOf toHaveBeenCalled called a an exist exists instanceOf instanceof doesNotThrow notThrows doesNotMatch ifError isOk isNotOk isDefined isObject isFunction isString isNumber isArray isBoolean typeOf empty null undefined NaN finite isNotNull exactly'.split(
    ' ',
  ),
);
const PROPERTIES = new Set([
  'true',
  'false',
  'null',
  'undefined',
  'ok',
  'exist',
  'empty',
  'NaN',
  'called',
  'calledOnce',
  'rejected',
  'fulfilled',
]);

/** The names that lead from a base to the end of an expression, e.g. `expect(x).not.toBe`: base `expect(x)`, names `not`, `toBe`. */
export function chainOf(node: Syntax | null): {
  readonly base: Syntax | null;
  readonly names: readonly string[];
} {
  const names: string[] = [];
  let at = node;
  for (; at; ) {
    if (at.type === 'member_expression') {
      names.unshift(at.child('property')?.text ?? '');
      at = at.child('object');
    } else if (at.type === 'call_expression' && !isExpect(at)) at = at.child('function');
    else if (at.type === 'await_expression' || at.type === 'parenthesized_expression')
      at = at.namedChildren[0] ?? null;
    else break;
  }
  return { base: at, names };
}

const isExpect = (call: Syntax): boolean =>
  /^(?:expect|expect\.soft|expectTypeOf)$/.test(short(call.child('function')));
const short = (node: Syntax | null): string => (node && node.end - node.start < 200 ? node.text : '');

export const argumentsOf = (call: Syntax): Syntax[] =>
  (call.child('arguments')?.namedChildren ?? []).filter(({ type }) => type !== 'comment');

/** The assertion that a node is, by the libraries that are in use; null when it is none. */
export function javascriptAssertion(node: Syntax, asserts: ReadonlySet<string>): Assertion | null {
  if (node.type === 'member_expression') return property(node);
  if (node.type !== 'call_expression') return null;
  // `expect(a).to.have.property('b').that.equals(1)` is one assertion, and its last call is it.
  if (node.parent?.type === 'member_expression' && node.field === 'object') {
    const next = node.parent.child('property')?.text ?? '';
    if (!/^(?:then|catch|finally)$/.test(next)) return null;
  }
  const { base, names } = chainOf(node.child('function'));
  const args = argumentsOf(node);
  if (base?.type === 'call_expression' && isExpect(base)) return expectation(node, base, names, args);
  // `request(app).get('/').expect(200)`, as supertest has it.
  if (base?.type === 'identifier' && names.at(-1) === 'expect' && args.length > 0)
    return { node, level: requested(node, args), subjects: [node] };
  const root = base?.type === 'identifier' ? base.text : '';
  if (names.includes('should') && base)
    return { node, level: byName(names, args), subjects: [base, ...args] };
  if (asserts.has(root) || (/^(?:t|tap|ctx|assert)$/.test(root) && names.length > 0)) {
    const last = names.at(-1) ?? asserted(root);
    if (!isKnown(last) || (/^(?:t|tap|ctx)$/.test(root) && (last === 'test' || last === 'skip'))) return null;
    return { node, level: asserting(last, node, args), subjects: args };
  }
  return null;
}

function requested(node: Syntax, args: readonly Syntax[]): Level {
  if (!isAwaited(node) && args.at(-1)?.text !== 'done') return 0;
  return args.some(({ type }) => /^(?:number|string|object|array|regex)$/.test(type)) ? 3 : 1;
}

const asserted = (root: string): string => (isKnown(root) ? root : 'ok');
const isKnown = (name: string): boolean =>
  EXACT.has(name) || PARTIAL.has(name) || VAGUE.has(name) || name === 'fail';

function expectation(
  node: Syntax,
  base: Syntax,
  names: readonly string[],
  args: readonly Syntax[],
): Assertion | null {
  const subjects = [...argumentsOf(base), ...args];
  if (names.length === 0) return null;
  const promised = names.includes('resolves') || names.includes('rejects') || names.includes('eventually');
  const level = promised && !isAwaited(node) ? 0 : byName(names, args, argumentsOf(base)[0] ?? null);
  return { node, level, subjects };
}

/** Chai's assertions that are no calls, e.g. `expect(x).to.be.true`. */
function property(node: Syntax): Assertion | null {
  if (node.parent?.type !== 'expression_statement') return null;
  const { base, names } = chainOf(node);
  const last = names.at(-1) ?? '';
  const isChai = (base?.type === 'call_expression' && isExpect(base)) || names.includes('should');
  if (!isChai || !base || !PROPERTIES.has(last)) return null;
  const level = names.includes('not') || last === 'ok' || last === 'exist' ? 1 : 3;
  return { node, level, subjects: [base] };
}

function byName(names: readonly string[], args: readonly Syntax[], actual: Syntax | null = null): Level {
  const last = names.at(-1) ?? '';
  if (names.includes('not') && last !== 'toContain' && last !== 'toMatch') return 1;
  if (last === 'toBeCloseTo') return Number(args[1]?.text ?? '2') >= 1 ? 3 : 1;
  // What is recorded anew says nothing of what is right.
  if (/Snapshot/.test(last))
    return args.some(({ type }) => /string/.test(type)) && /Inline/.test(last) ? 3 : 2;
  if (last === 'toMatchObject' && isEmptyList(args[0] ?? null)) return 1;
  if (EXACT.has(last)) return args.length > 0 ? equality(actual, args[0] ?? null) : 3;
  if (last === 'closeTo') return isNarrow(args[1] ?? args[0] ?? null) ? 3 : 1;
  if (/^(?:toThrow|toThrowError|throw)$/.test(last)) return isAnyError(args[0] ?? null) ? 2 : 3;
  if (last === 'toMatch' && isAnything(args[0] ?? null)) return 0;
  if (PARTIAL.has(last)) return 2;
  if (last === 'toBeTruthy' && actual) return expression(actual);
  return VAGUE.has(last) || last.length === 0 ? 1 : 2;
}

function asserting(last: string, node: Syntax, args: readonly Syntax[]): Level {
  const [first = null, second = null] = args;
  if (/^(?:rejects|doesNotReject|throwsAsync)$/.test(last) && !isAwaited(node)) return 0;
  if (/^(?:throws|rejects|throwsAsync)$/.test(last)) return isAnyError(second) ? 2 : 3;
  if (last === 'match' || last === 'regex') return isAnything(second) ? 0 : 2;
  if (last === 'fail') return 3;
  if (EXACT.has(last)) return args.length > 1 ? equality(first, second) : 3;
  if (/^(?:closeTo|approximately)$/.test(last)) return isNarrow(args[2] ?? null) ? 3 : 1;
  if (PARTIAL.has(last)) return 2;
  if (/^(?:ok|assert|truthy|true|isOk)$/.test(last)) return expression(first);
  return 1;
}

function equality(left: Syntax | null, right: Syntax | null): Level {
  if (!left || !right) return right ? 3 : 1;
  if (left.type === right.type && short(left) !== '' && left.text === right.text)
    // A value is itself; two calls that look alike ask for repeatability only.
    return /call/.test(left.type) ? 1 : 0;
  if (
    [left, right].some((side) =>
      /^expect\.(?:any|anything)\(|^expect\.(?:objectContaining|arrayContaining|stringContaining|stringMatching)\(\s*(?:\{\s*\}|\[\s*\]|''|""|\/\.[*+]\/)/.test(
        short(side),
      ),
    )
  )
    return 1;
  if ([left, right].some((side) => isTypeof(side))) return 1;
  for (const [side, other] of [
    [left, right],
    [right, left],
  ] as const)
    if (/^(?:true|false)$/.test(other.type)) {
      if (side.type === 'call_expression' && KINDS.test(short(side.child('function')))) return 1;
      const level = expression(side);
      return /^(?:binary_expression|unary_expression|ternary_expression)$/.test(side.type) ||
        PARTLY.test(short(side.child('function')))
        ? level
        : 3;
    }
  return 3;
}

/** No kind of error, or one that every error is. */
const isAnyError = (node: Syntax | null): boolean =>
  node === null || short(node) === 'Error' || isAnything(node) || /^\(\w*\)\s*=>\s*true$/.test(short(node));
/** Questions of the language to which almost everything is the answer. */
const KINDS = /^(?:Boolean|isNaN|isFinite|Number\.is\w+|Array\.isArray|Object\.hasOwn|Buffer\.isBuffer)$/;
const isTypeof = (node: Syntax): boolean =>
  node.type === 'unary_expression' && node.children[0]?.text === 'typeof';
const PARTLY = /\.(?:includes|startsWith|endsWith|test|match|has|some|every|indexOf)$/;
const isAnything = (node: Syntax | null): boolean =>
  /^\/(?:\.\*|\.\+|\^|\$|\[\\s\\S\]\*|)\/\w*$|^['"`]{2}$/.test(short(node));
const isNarrow = (node: Syntax | null): boolean => {
  const value = Number(short(node) || Number.NaN);
  return Number.isNaN(value) || Math.abs(value) <= 0.1;
};

/** How much it asks that an expression is true. */
export function expression(node: Syntax | null): Level {
  if (node === null || truthOf(node) !== null) return 0;
  if (
    /^(?:string|template_string|array|object|number|arrow_function|function_expression|new_expression)$/.test(
      node.type,
    )
  )
    return 0;
  if (node.type === 'parenthesized_expression') return expression(node.namedChildren[0] ?? null);
  if (node.type === 'call_expression') return PARTLY.test(short(node.child('function'))) ? 2 : 1;
  if (node.type !== 'binary_expression') return 1;
  const [left, right] = [node.child('left'), node.child('right')];
  switch (node.child('operator')?.text) {
    case '==':
    case '===':
      return left && right && (isTypeof(left) || isTypeof(right)) ? 1 : equality(left, right);
    case '<':
    case '<=':
      return /\babs\(/.test(left ? short(left) : '') ? (isNarrow(right) ? 3 : 1) : 2;
    case '>':
    case '>=':
    case 'in':
      return 2;
    case '&&':
      return Math.max(expression(left), expression(right)) as Level;
    case '||':
    case '??':
      return isConstant(left) || isConstant(right)
        ? 0
        : (Math.min(2, expression(left), expression(right)) as Level);
    default:
      return 1;
  }
}

const isConstant = (node: Syntax | null): boolean =>
  node !== null &&
  (truthOf(node) === true || /^(?:string|number|array|object|template_string)$/.test(node.type));
