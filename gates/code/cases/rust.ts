import { attributesOf } from '../parsing/definitions.ts';
import type { Asked, Dialect } from './model.ts';

const TEST = /^#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b/;
const EXACT = /^(?:debug_)?assert_(?:eq|ne|matches)$/;
const LOOSE = /^(?:debug_)?assert\w*$|^panic$|^prop_assert\w*$/;

/** Tests of Rust: functions with an attribute that says so. */
export const rust: Dialect = {
  caseAt: (node) => {
    if (node.type !== 'function_item') return null;
    const attributes = attributesOf(node);
    if (!attributes.some(({ text }) => TEST.test(text.slice(0, 200)))) return null;
    const [first] = attributes;
    return { name: node.child('name')?.text ?? '', span: node, ...(first ? { from: first } : {}) };
  },
  groupAt: (node) => (node.type === 'mod_item' ? (node.child('name')?.text ?? null) : null),
  asked: (node): Asked => {
    if (node.type !== 'macro_invocation') return null;
    const name = node.child('macro')?.text ?? '';
    return EXACT.test(name) ? 'exact' : LOOSE.test(name) ? 'loose' : null;
  },
  skips: (node) =>
    node.type === 'attribute_item' && /^#\[\s*(?:ignore|should_panic)\b/.test(node.text.slice(0, 200)),
};
