import * as z from 'zod';
import { resultOf } from '../code/seen.ts';
import type { Gate } from '../engine/gate.ts';
import { levelsOf, NO_SETTINGS, weakenedFacts } from '../rules/levels.ts';

/** What the changed tests look like: notes for a person or a judge. What decides is what runs, in the tests gate. On with the tests. */
export const testIntegrity: Gate = {
  name: 'test_integrity',
  flag: 'test_integrity',
  on: false,
  onWith: ['tests'],
  required: true,
  condition: 'tests_changed',
  settings: { test_integrity: z.boolean().optional() },
  run: async ({ subject, required = [], rules = NO_SETTINGS }) => {
    const [{ patchView, findingsOf }, { TEST_RULES }] = await Promise.all([
      import('../engine/findings.ts'),
      import('../rules/registry.ts'),
    ]);
    const seen = await findingsOf(TEST_RULES, await patchView(subject, required), levelsOf(rules));
    return resultOf(seen, 'the changed tests ask for no less', weakenedFacts(TEST_RULES, rules));
  },
};
