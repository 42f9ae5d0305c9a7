import type { Rule } from '../framework/rule.ts';
import { SKIPPED_TEST_RULE } from './skipped-test.ts';
import { WEAKENED_TEST_RULE } from './weakened-test.ts';

/** Rules of the gate `test_integrity`: what the changed tests look like. */
export const TEST_INTEGRITY_RULES: readonly Rule[] = [SKIPPED_TEST_RULE, WEAKENED_TEST_RULE];

/** Those of them that say that a test asks for less than it did. */
export const WEAKENED_TEST_RULES: readonly Rule[] = [SKIPPED_TEST_RULE, WEAKENED_TEST_RULE];
