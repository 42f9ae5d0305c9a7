import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import { createRuleLevelLookup } from '../rules/framework/rule-levels.ts';
import { buildRuleGateResult } from './rule-gate.ts';

/** Whether every migration that the patch adds or changes can be taken back again. */
export const migrationReversibilityGate: Gate = {
  name: 'migration_reversibility',
  configKey: 'migration_reversibility_check',
  enabledByDefault: false,
  required: true,
  condition: 'any_changed',
  settings: { migration_reversibility_check: z.boolean().optional() },
  run: async (context) => {
    const [{ checkMigrations }, { MIGRATION_RULES }, { applyRuleLevels }] = await Promise.all([
      import('../rules/migration-reversibility/migration-check.ts'),
      import('../rules/migration-reversibility/rules.ts'),
      import('../rules/framework/run-rules.ts'),
    ]);
    const { migrationCount, findings, tooLarge } = await checkMigrations(context.subject);
    const all = applyRuleLevels(
      findings,
      MIGRATION_RULES,
      createRuleLevelLookup(context.ruleSettings ?? NO_RULE_SETTINGS),
    );
    const result = buildRuleGateResult(
      context,
      all,
      MIGRATION_RULES,
      `${migrationCount} migrations looked at`,
      {
        migrations: migrationCount,
      },
    );
    if (result.outcome === 'failed') return result;
    if (tooLarge.length > 0)
      return { ...result, outcome: 'could_not_run', detail: `too large to be read: ${tooLarge.join(', ')}` };
    if (migrationCount > 0) return result;
    const none = 'the patch adds or changes no migration that says how it is taken back';
    return { ...result, outcome: 'skipped', detail: none };
  },
};
