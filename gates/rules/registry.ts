import { testAsksLess } from './changed-tests/asks-less.ts';
import { testAsksNothing } from './changed-tests/asks-nothing.ts';
import { testLeftOut } from './changed-tests/left-out.ts';
import type { Rule } from './rule.ts';

/** Rules of the gate `test_integrity`: what the changed tests look like. */
export const TEST_RULES: readonly Rule[] = [testLeftOut, testAsksLess, testAsksNothing];

/** Those of them that say that a test asks for less than it did. */
export const WEAKENING: readonly Rule[] = [testLeftOut, testAsksLess];

/** Every rule that reads. */
export const RULES: readonly Rule[] = [...TEST_RULES];
