import type { AssertionStrength, TestSyntax } from './test-case.ts';

const EXACT =
  /^(?:self\.)?assert(?:Equals?|NotEqual|Is|IsNot|In|NotIn|Raises|RaisesRegex|Greater|Less|GreaterEqual|LessEqual|Regex|AlmostEqual|CountEqual|\w+Equal)$|^pytest\.(?:raises|warns)$|\.assert_called(?:_once)?_with$/;
const LOOSE = /^self\.(?:assert\w+|fail\w*)$|^pytest\.fail$|\.assert_\w+$/;
const SKIPS = /^(?:\w+\.)*(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure|skipTest|importorskip)$/;

/** Tests of Python: functions that are called `test…`, of a module or a class. */
export const pythonTestSyntax: TestSyntax = {
  testCaseAt: (node) => {
    if (node.type !== 'function_definition') return null;
    const name = node.childForField('name')?.text ?? '';
    if (!name.startsWith('test')) return null;
    return { name, span: node.parent?.type === 'decorated_definition' ? node.parent : node };
  },
  groupAt: (node) => (node.type === 'class_definition' ? (node.childForField('name')?.text ?? null) : null),
  assertionStrengthOf: (node): AssertionStrength => {
    if (node.type === 'assert_statement')
      return node.namedChildren[0]?.type === 'comparison_operator' ? 'exact' : 'loose';
    if (node.type !== 'call') return null;
    const called = node.childForField('function')?.text.slice(0, 200) ?? '';
    return EXACT.test(called) ? 'exact' : LOOSE.test(called) ? 'loose' : null;
  },
  isSkipMarker: (node) => {
    if (node.type === 'call') return SKIPS.test(node.childForField('function')?.text.slice(0, 200) ?? '');
    if (node.type === 'decorator') return SKIPS.test(node.namedChildren[0]?.text.slice(0, 200) ?? '');
    return node.type === 'raise_statement' && /\bSkip(?:Test|ped)\b/.test(node.text.slice(0, 200));
  },
};
