import type { AssertionStrength, TestSyntax } from './test-case.ts';

const NAMED = /^(?:Test|Fuzz|Example|Benchmark)(?:[^a-z].*)?$/su;
const EXACT =
  /^(?:assert|require|is|cmp|qt|check)\.(?:Equal\w*|NotEqual|ElementsMatch|Len|ErrorIs|ErrorAs|ErrorContains|Contains|JSONEq|InDelta|Same|Exactly|Greater|Less|DeepEqual)f?$/;
const LOOSE = /^(?:assert|require|is|qt|check)\.\w+$/;
const FAILS = /^\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/;

/** Tests of Go: functions that are called `Test…` and their like. */
export const goTestSyntax: TestSyntax = {
  testCaseAt: (node) => {
    if (node.type !== 'function_declaration' && node.type !== 'method_declaration') return null;
    const name = node.childForField('name')?.text ?? '';
    return NAMED.test(name) ? { name, span: node } : null;
  },
  // What runs a suite need not be called as its type is.
  groupAt: () => null,
  assertionStrengthOf: (node): AssertionStrength => {
    if (node.type !== 'call_expression') return null;
    const called = node.childForField('function')?.text.slice(0, 200) ?? '';
    if (EXACT.test(called)) return 'exact';
    if (LOOSE.test(called)) return 'loose';
    if (!FAILS.test(called)) return null;
    for (const above of node.ancestors()) {
      if (above.type === 'if_statement')
        return /[!=<>]=|[<>]|Equal|Compare|errors\.(?:Is|As)/.test(
          (above.childForField('condition')?.text ?? '').replace(/\b\w+\s*[!=]=\s*nil\b/g, ''),
        )
          ? 'exact'
          : 'loose';
      if (above.type === 'function_declaration') break;
    }
    return 'loose';
  },
  isSkipMarker: (node) =>
    node.type === 'call_expression' &&
    /^\w+\.Skip(?:f|Now)?$/.test(node.childForField('function')?.text.slice(0, 100) ?? ''),
};
