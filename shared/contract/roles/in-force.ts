import * as z from 'zod';
import { TIERS } from '../agents/tiers.ts';
import { Effort } from '../submission/schema.ts';

/** What a role means for the platform's own choices: the model, and what an attempt may cost. Read before the first attempt. */
export const RoleInForce = z.object({
  from: z
    .enum(['repository', 'builtin', 'unread'])
    .describe(
      'Whose settings these are: of the base commit, or built in. `unread`: the base could not be asked, and they are the built-in ones.',
    ),
  why_unread: z.string().nullable(),
  model: z.enum(TIERS),
  effort: Effort,
  max_cost_usd: z.number().nullable(),
});
export type RoleInForce = z.infer<typeof RoleInForce>;

export type Origin = Pick<RoleInForce, 'from' | 'why_unread'>;
