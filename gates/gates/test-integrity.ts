import * as z from 'zod';
import { createRuleGate } from './rule-gate.ts';

/** What the changed tests look like: notes for a person or a judge. What decides is what runs, in the tests gate. */
export const testIntegrityGate = createRuleGate({
  name: 'test_integrity',
  condition: 'tests_changed',
  settings: { test_integrity: z.boolean().optional() },
  loadRules: async () => (await import('../rules/changed-tests/rules.ts')).TEST_INTEGRITY_RULES,
  // Notes stand beside it: that nothing is worse is for the runs to show.
  cleanDetail: (texts) => `${texts} changed files read`,
});
