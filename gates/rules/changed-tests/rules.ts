import type { Rule } from '../framework/rule.ts';
import { testAsksLess } from './asks-less.ts';
import { testLeftOut } from './left-out.ts';

/** Rules of the gate `test_integrity`: what the changed tests look like. */
export const TEST_RULES: readonly Rule[] = [testLeftOut, testAsksLess];

/** Those of them that say that a test asks for less than it did. */
export const WEAKENING: readonly Rule[] = [testLeftOut, testAsksLess];
