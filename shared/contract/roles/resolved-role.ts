import * as z from 'zod';
import { ReasoningEffortLevel } from '../agents/effort.ts';
import { TIERS } from '../agents/tiers.ts';

/** What a role means for the platform's own choices: the model, and what an attempt may cost. Read before the first attempt. */
export const ResolvedRole = z.object({
  source: z
    .enum(['repository', 'builtin', 'unread'])
    .describe(
      'Origin of the settings: the base commit, or built in. `unread`: the base could not be read, and they are built in.',
    ),
  unread_reason: z.string().nullable(),
  model: z.enum(TIERS),
  effort: ReasoningEffortLevel,
  max_cost_usd: z.number().nullable(),
});
export type ResolvedRole = z.infer<typeof ResolvedRole>;

export type RoleSource = Pick<ResolvedRole, 'source' | 'unread_reason'>;
