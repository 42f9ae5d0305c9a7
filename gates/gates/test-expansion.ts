import * as z from 'zod';
import type { Gate } from '../core/gate.ts';

/** Lists changed code that no test reaches. It never fails. */
export const testExpansion: Gate = {
  name: 'test_expansion',
  flag: 'test_expansion',
  on: false,
  required: false,
  condition: 'code_changed',
  settings: { test_expansion: z.boolean().optional() },
  run: async (context) => {
    const { lookForUntested } = await import('../rules/test-expansion/look.ts');
    return lookForUntested(context);
  },
};
