import * as z from 'zod';
import type { Gate } from '../core/gate.ts';

/** Lists changed code that no test reaches. It never fails. */
export const testExpansionGate: Gate = {
  name: 'test_expansion',
  configKey: 'test_expansion',
  enabledByDefault: false,
  required: false,
  condition: 'code_changed',
  settings: { test_expansion: z.boolean().optional() },
  run: async (context) => {
    const { checkUntestedCode } = await import('../rules/test-expansion/untested-code.ts');
    return checkUntestedCode(context);
  },
};
