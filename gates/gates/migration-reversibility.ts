import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';

/** Whether every migration that the patch adds or changes can be taken back again. */
export const migrationReversibility: Gate = {
  name: 'migration_reversibility',
  flag: 'migration_reversibility_check',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { migration_reversibility_check: z.boolean().optional() },
  run: async ({ subject }) => {
    const { checkMigrations } = await import('../rules/migration-reversibility/check.ts');
    const { migrations, findings, tooLarge } = await checkMigrations(subject);
    const failing = findings.filter(({ before }) => !before);
    return {
      outcome:
        failing.length > 0
          ? 'failed'
          : tooLarge.length > 0
            ? 'inert'
            : migrations === 0
              ? 'skipped'
              : 'passed',
      kind: 'checked_by_us',
      detail:
        tooLarge.length > 0
          ? `too large to be read: ${tooLarge.join(', ')}`
          : migrations === 0
            ? 'the patch adds or changes no migration that says how it is taken back'
            : `${migrations} migrations looked at, ${failing.length} findings`,
      findings: findings.map(({ before, ...finding }) => ({
        ...finding,
        message: before ? `${finding.message} (was so before)` : finding.message,
      })),
      metadata: { migrations },
    };
  },
};
