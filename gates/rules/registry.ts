import { testAsksLess } from './changed-tests/asks-less.ts';
import { testAsksNothing } from './changed-tests/asks-nothing.ts';
import { testLeftOut } from './changed-tests/left-out.ts';
import type { Rule, RuleCard } from './rule.ts';
import { SUPPRESSION_RULES } from './suppressions/table.ts';

/** Rules of the gate `test_integrity`: what the changed tests look like. */
export const TEST_RULES: readonly Rule[] = [testLeftOut, testAsksLess, testAsksNothing];

/** Those of them that say that a test asks for less than it did. */
export const WEAKENING: readonly Rule[] = [testLeftOut, testAsksLess];

/** Every rule that reads. */
export const RULES: readonly Rule[] = [...TEST_RULES];

/** Every rule whose level can be set, by name. */
export const RULE_CARDS: readonly RuleCard[] = [...RULES, ...SUPPRESSION_RULES].sort((a, b) =>
  a.id < b.id ? -1 : 1,
);

export const cardOf = (id: string): RuleCard | undefined => RULE_CARDS.find((card) => card.id === id);
