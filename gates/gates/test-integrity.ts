import * as z from 'zod';
import { readingGate } from './reading-gate.ts';

/** What the changed tests look like: notes for a person or a judge. What decides is what runs, in the tests gate. */
export const testIntegrity = readingGate({
  name: 'test_integrity',
  condition: 'tests_changed',
  settings: { test_integrity: z.boolean().optional() },
  rules: async () => (await import('../rules/changed-tests/rules.ts')).TEST_RULES,
  clean: () => 'the changed tests ask for no less',
});
