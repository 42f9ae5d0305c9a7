import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';

/** What the patch adds to keep checks quiet: suppression comments, and code that cheats whoever runs it. On with the tests. */
export const suppressions: Gate = {
  name: 'suppressions',
  flag: 'suppressions',
  on: false,
  onWith: ['tests'],
  required: true,
  condition: 'code_changed',
  settings: { suppressions: z.boolean().optional() },
  run: async (context, settings) => {
    const { lookAtSuppressions } = await import('../rules/suppressions/look.ts');
    return lookAtSuppressions(context, settings);
  },
};
