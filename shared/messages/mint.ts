import * as z from 'zod';
import { RepositoryUrl } from '../repository/schema.ts';
import { TaskId } from '../task/schema.ts';

/** Asks the minter for what a box, or the resolver, may say to a repository in the name of a task. */
export const MintRequest = z.strictObject({
  task_id: TaskId,
  repository: RepositoryUrl,
  access: z.enum(['read', 'write']),
});
export type MintRequest = z.infer<typeof MintRequest>;

export const MintAnswer = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('minted'),
    /** Value of an Authorization header. */
    authorization: z.string(),
  }),
  /** There is nothing in the secret for it; what is asked is asked without a credential. */
  z.object({ outcome: z.literal('none') }),
  z.object({ outcome: z.literal('refused'), message: z.string(), transient: z.boolean() }),
]);
export type MintAnswer = z.infer<typeof MintAnswer>;
