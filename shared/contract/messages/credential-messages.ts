import * as z from 'zod';
import { RepositoryUrl } from '../repository/schema.ts';
import { TaskId } from '../submission/schema.ts';

/** Asks the minter for what a box, or the resolver, may read a repository with in the name of a task. */
export const ReadCredentialRequest = z.strictObject({
  task_id: TaskId,
  repository: RepositoryUrl,
  access: z.literal('read'),
});
export type ReadCredentialRequest = z.infer<typeof ReadCredentialRequest>;

/** Asks the minter of pushes for what one delivery may write with. */
export const WriteCredentialRequest = z.strictObject({
  task_id: TaskId,
  repository: RepositoryUrl,
  access: z.literal('write'),
  /** Of the launch that has leave to push. */
  token: z.string(),
});
export type WriteCredentialRequest = z.infer<typeof WriteCredentialRequest>;

export type CredentialRequest = ReadCredentialRequest | WriteCredentialRequest;

export const CredentialResponse = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('minted'),
    /** Value of an Authorization header. */
    authorization: z.string(),
  }),
  /** There is nothing in the secret for it; what is asked is asked without a credential. */
  z.object({ outcome: z.literal('none') }),
  z.object({ outcome: z.literal('refused'), message: z.string(), transient: z.boolean() }),
]);
export type CredentialResponse = z.infer<typeof CredentialResponse>;
