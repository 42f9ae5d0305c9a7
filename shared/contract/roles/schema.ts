import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { ReasoningEffortLevel } from '../agents/effort.ts';
import { TIERS } from '../agents/tiers.ts';
import { RoleName } from '../submission/schema.ts';

export { RoleName };

/** Bounds of one attempt in this role; the tighter of these and the task's own count. */
export const RoleLimits = z.strictObject({
  timeout_s: z.number().int().min(1).max(21_600).optional().describe('Time limit of the agent in seconds.'),
  max_turns: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Maximum number of turns; of agents that do not report turns, of tool calls.'),
  idle_timeout_s: z
    .number()
    .int()
    .min(10)
    .max(21_600)
    .optional()
    .describe('Seconds without output after which an agent CLI is told to continue or is stopped; 900.'),
  max_cost_usd: StorableNumber.positive()
    .max(10_000)
    .optional()
    .describe('Maximum cost of one attempt in dollars.'),
});
export type RoleLimits = z.infer<typeof RoleLimits>;

/** `config.yaml` of a role. */
export const RoleConfig = z.strictObject({
  description: z.string().trim().min(1).max(500).optional(),
  model: z.enum(TIERS).default('sonnet').describe('Tier for work of this role.'),
  effort: ReasoningEffortLevel.default('high'),
  max_tasks_per_session: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe('Number of tasks after which a worker of this role exits, so that a new one starts.'),
  limits: RoleLimits.prefault({}),
});
export type RoleConfig = z.infer<typeof RoleConfig>;
