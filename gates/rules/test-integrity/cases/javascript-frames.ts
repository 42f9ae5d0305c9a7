import type { Syntax } from '../../../code/syntax.ts';
import { chainOf } from './javascript-levels.ts';

const TESTS = /^(?:x|f)?(?:it|test|specify)$/;
const SUITES = /^(?:x|f)?(?:describe|suite|context)$/;
const HOOKS = /^(?:before|after)(?:Each|All)?$|^(?:setup|teardown)$/;
const VARIANTS = new Set([
  'each',
  'for',
  'only',
  'concurrent',
  'sequential',
  'serial',
  'failing',
  'fails',
  'prop',
  'skip',
  'todo',
  'skipIf',
  'runIf',
  'fixme',
]);

/** Whether a call defines a test: `test('…')`, `it.only('…')`, `test.each(table)('…')`, `t.test('…')`. */
export function isTestCall(call: Syntax): boolean {
  const { base, names } = chainOf(call.child('function'));
  if (base?.type !== 'identifier') return false;
  const inner = call.child('function');
  // The call that gets the table is not the one that defines the test.
  if (call.parent?.type === 'call_expression' && call.field === 'function') return false;
  if (inner?.type === 'call_expression' && names.length === 0) return false;
  if (base.text === 't') return names.length === 1 && names[0] === 'test';
  return TESTS.test(base.text) && names.every((name) => VARIANTS.has(name));
}

/** Whether a call only holds tests, or says what is done around them. */
export const isFrame = (call: Syntax): boolean => {
  const { base, names } = chainOf(call.child('function'));
  return (
    base?.type === 'identifier' &&
    (isTestCall(call) || SUITES.test(base.text) || HOOKS.test(base.text) || HOOKS.test(names.at(-1) ?? ''))
  );
};
