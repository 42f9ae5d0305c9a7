import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import { levelsOf } from '../rules/framework/levels.ts';
import { readingResult } from './reading-gate.ts';

/** Whether every migration that the patch adds or changes can be taken back again. */
export const migrationReversibility: Gate = {
  name: 'migration_reversibility',
  flag: 'migration_reversibility_check',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { migration_reversibility_check: z.boolean().optional() },
  run: async (context) => {
    const [{ checkMigrations }, { MIGRATION_RULES }, { levelled }] = await Promise.all([
      import('../rules/migration-reversibility/check.ts'),
      import('../rules/migration-reversibility/rules.ts'),
      import('../rules/framework/findings.ts'),
    ]);
    const { migrations, seen, tooLarge } = await checkMigrations(context.subject);
    const all = levelled(seen, MIGRATION_RULES, levelsOf(context.rules ?? NO_SETTINGS));
    const result = readingResult(context, all, MIGRATION_RULES, `${migrations} migrations looked at`, {
      migrations,
    });
    if (result.outcome === 'failed') return result;
    if (tooLarge.length > 0)
      return { ...result, outcome: 'inert', detail: `too large to be read: ${tooLarge.join(', ')}` };
    if (migrations > 0) return result;
    const none = 'the patch adds or changes no migration that says how it is taken back';
    return { ...result, outcome: 'skipped', detail: none };
  },
};
