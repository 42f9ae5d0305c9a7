import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { ReasoningEffortLevel } from '../agents/effort.ts';
import { TIERS } from '../agents/tiers.ts';
import { RoleName } from '../submission/schema.ts';

export { RoleName };

/** Bounds of one attempt in this role; the tighter of these and the task's own count. */
export const RoleLimits = z.strictObject({
  timeout_s: z.number().int().min(1).max(21_600).optional().describe('Seconds that the agent may run.'),
  max_turns: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Turns; of agents that say nothing of them, calls of tools.'),
  idle_timeout_s: z
    .number()
    .int()
    .min(10)
    .max(21_600)
    .optional()
    .describe('Seconds that an agent CLI may say nothing, before it is told to go on or is stopped; 900.'),
  max_cost_usd: StorableNumber.positive().max(10_000).optional().describe('Dollars of one attempt.'),
});
export type RoleLimits = z.infer<typeof RoleLimits>;

/** `config.yaml` of a role. */
export const RoleConfig = z.strictObject({
  description: z.string().trim().min(1).max(500).optional(),
  model: z.enum(TIERS).default('sonnet').describe('The tier that work of this role is worth.'),
  effort: ReasoningEffortLevel.default('high'),
  max_tasks_per_session: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe('After so many tasks a worker of this role ends, so that another begins afresh.'),
  limits: RoleLimits.prefault({}),
});
export type RoleConfig = z.infer<typeof RoleConfig>;
