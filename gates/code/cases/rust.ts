import { listRustAttributes } from '../parsing/definitions.ts';
import type { AssertionStrength, TestSyntax } from './test-case.ts';

const TEST = /^#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b/;
const EXACT = /^(?:debug_)?assert_(?:eq|ne|matches)$/;
const LOOSE = /^(?:debug_)?assert\w*$|^panic$|^prop_assert\w*$/;

/** Tests of Rust: functions with an attribute that says so. */
export const rustTestSyntax: TestSyntax = {
  testCaseAt: (node) => {
    if (node.type !== 'function_item') return null;
    const attributes = listRustAttributes(node);
    if (!attributes.some(({ text }) => TEST.test(text.slice(0, 200)))) return null;
    const [first] = attributes;
    return { name: node.childForField('name')?.text ?? '', span: node, ...(first ? { from: first } : {}) };
  },
  groupAt: (node) => (node.type === 'mod_item' ? (node.childForField('name')?.text ?? null) : null),
  assertionStrengthOf: (node): AssertionStrength => {
    if (node.type !== 'macro_invocation') return null;
    const name = node.childForField('macro')?.text ?? '';
    return EXACT.test(name) ? 'exact' : LOOSE.test(name) ? 'loose' : null;
  },
  isSkipMarker: (node) =>
    node.type === 'attribute_item' && /^#\[\s*(?:ignore|should_panic)\b/.test(node.text.slice(0, 200)),
};
