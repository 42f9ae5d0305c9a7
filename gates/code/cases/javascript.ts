import { evaluateConstantString } from '../parsing/string-literal.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import type { AssertionStrength, TestSyntax } from './test-case.ts';

const TEST =
  /^(?:x|f)?(?:it|test|specify)(?:\.(?:only|skip|todo|each|for|concurrent|sequential|serial|fails|failing|fixme|skipIf|runIf|slow|prop))*$|^(?:t|this|ctx)\.test$/;
const SUITE = /^(?:x|f)?(?:describe|suite|context)(?:\.\w+)*$/;
const TABLE = /\.(?:each|for|skipIf|runIf)$/;
const SKIPPED = /^x(?:it|test|specify|describe)\b|\.(?:skip|todo|fails|failing|fixme|skipIf|runIf)\b/;
const EXACT_MATCHERS =
  /\.(?:toBe|toEqual|toStrictEqual|toMatchObject|toHaveLength|toHaveBeenCalledWith|toHaveBeenCalledTimes|toMatch\w*|toContain\w*|toHaveProperty|toThrow\w*|toBeCloseTo|equals?|eql|eq|deep|throws?|rejects|strictEqual|deepEqual|deepStrictEqual|notEqual|notStrictEqual|notDeepEqual|match|is|like|same)$/;
const ASSERTS =
  /^(?:assert\w*|expect\w*|should|chai|t|tap|is|eq|equal|strictEqual|deepEqual|deepStrictEqual|throws|rejects|match|ok)$/;

/** `expect(a).toBe(b)` as its names, without what is handed over: `expect.toBe`. */
function pathOf(node: SyntaxNode | null): string {
  const names: string[] = [];
  for (let at = node; at; ) {
    if (at.type === 'member_expression') {
      names.unshift(at.childForField('property')?.text ?? '');
      at = at.childForField('object');
    } else if (at.type === 'call_expression') at = at.childForField('function');
    else if (at.type === 'await_expression' || at.type === 'parenthesized_expression')
      at = at.namedChildren[0] ?? null;
    else {
      if (/identifier|this/.test(at.type)) names.unshift(at.text);
      break;
    }
  }
  return names.join('.');
}

const argumentsOf = (node: SyntaxNode): SyntaxNode[] =>
  node.childForField('arguments')?.namedChildren.filter(({ type }) => type !== 'comment') ?? [];

/** An option such as `{ skip: true }` that is not plainly off. */
const isOption = (node: SyntaxNode): boolean =>
  node.type === 'pair' &&
  /^(?:skip|todo|fails)$/.test(node.childForField('key')?.text ?? '') &&
  !/^(?:false|undefined|null|0)$/.test(node.childForField('value')?.text ?? '');

/** Tests of JavaScript and TypeScript: calls of `it`, `test` and their like with something to run. */
export const javascriptTestSyntax: TestSyntax = {
  testCaseAt: (node) => {
    if (node.type !== 'call_expression') return null;
    const callee = node.childForField('function');
    const path = pathOf(callee);
    // Of `test.each(table)(name, body)` the outer call is the test.
    if (!TEST.test(path) || TABLE.test(path) !== (callee?.type === 'call_expression')) return null;
    const [title] = argumentsOf(node);
    return title ? { name: evaluateConstantString(title) ?? title.text.slice(0, 500), span: node } : null;
  },
  groupAt: (node) => {
    if (node.type !== 'call_expression' || !SUITE.test(pathOf(node.childForField('function')))) return null;
    const [title] = argumentsOf(node);
    return title ? evaluateConstantString(title) : null;
  },
  assertionStrengthOf: (node): AssertionStrength => {
    if (node.type !== 'call_expression') return null;
    // The innermost call of `expect(a).toBe(b)` is part of the outer one.
    if (node.parent?.type === 'member_expression' && node.field === 'object') return null;
    const path = pathOf(node.childForField('function'));
    const [root = ''] = path.split('.');
    if (!ASSERTS.test(root) && !path.includes('.should')) return null;
    if (
      /^t$/.test(root) &&
      /^t\.(?:test|plan|end|after|before\w*|mock|diagnostic|skip|todo|teardown|comment|pass)\b/.test(path)
    )
      return null;
    if (path === 'expect' || /\.(?:assertions|hasAssertions|extend)$/.test(path)) return null;
    return EXACT_MATCHERS.test(path) ||
      /^(?:equal|strictEqual|deepEqual|deepStrictEqual|throws|rejects|match|is|eq)$/.test(path)
      ? 'exact'
      : 'loose';
  },
  isSkipMarker: (node) =>
    isOption(node) ||
    (node.type === 'call_expression' &&
      (SKIPPED.test(pathOf(node.childForField('function'))) ||
        /^(?:t|this|ctx)\.(?:skip|todo)$/.test(pathOf(node.childForField('function'))))),
};
