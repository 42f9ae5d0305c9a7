import { setTimeout as pause } from 'node:timers/promises';
import type { DeliverAssignment } from '../../shared/contract/messages/assignment.ts';
import type { WriteRequest } from '../../shared/contract/messages/mint.ts';
import { type Authorize, NotMinted } from '../../shared/store/minter.ts';
import { CheckoutError } from '../../workspace/git/error.ts';

/** Milliseconds after which a minter is asked again that may have something in a moment. */
const AGAIN_MS = [1_000, 4_000, 15_000, 40_000];

/**
 * The Authorization header that the minter makes for this delivery, good for its repository and an hour; null: it makes none. Asked for when there
 * is leave to push, so that nobody holds it who may not push.
 * @throws CheckoutError
 */
export async function mintedFor(
  assignment: Pick<DeliverAssignment, 'task_id' | 'repository' | 'token'>,
  authorize: Authorize<WriteRequest>,
  abort: AbortSignal,
  again: readonly number[] = AGAIN_MS,
): Promise<string | null> {
  const { task_id, repository, token } = assignment;
  const [wait, ...later] = again;
  try {
    return await authorize({ task_id, repository, access: 'write', token });
  } catch (error) {
    if (!(error instanceof NotMinted)) throw error;
    if (error.transient && wait !== undefined && !abort.aborted) {
      await pause(wait, undefined, { signal: abort }).catch(() => {});
      return mintedFor(assignment, authorize, abort, later);
    }
    const why = `no credential for the repository: ${error.message}`;
    throw new CheckoutError(error.transient ? 'repository_unavailable' : 'config_invalid', why);
  }
}
