import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryAssignment } from '../../shared/contract/messages/assignment.ts';
import type { WriteCredentialRequest } from '../../shared/contract/messages/credential-messages.ts';
import {
  type CredentialProvider,
  CredentialUnavailableError,
} from '../../shared/store/credential-provider.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';

/** Milliseconds after which a minter is asked again that may have something in a moment. */
const RETRY_DELAYS_MS = [1_000, 4_000, 15_000, 40_000];

/**
 * The Authorization header that the minter makes for this delivery, good for its repository and an hour; null: it makes none. Asked for when there
 * is leave to push, so that nobody holds it who may not push.
 * @throws CheckoutError
 */
export async function mintPushCredential(
  assignment: Pick<DeliveryAssignment, 'task_id' | 'repository' | 'token'>,
  authorize: CredentialProvider<WriteCredentialRequest>,
  abort: AbortSignal,
  again: readonly number[] = RETRY_DELAYS_MS,
): Promise<string | null> {
  const { task_id, repository, token } = assignment;
  const [wait, ...later] = again;
  try {
    return await authorize({ task_id, repository, access: 'write', token });
  } catch (error) {
    if (!(error instanceof CredentialUnavailableError)) throw error;
    if (error.isTransient && wait !== undefined && !abort.aborted) {
      await pause(wait, undefined, { signal: abort }).catch(() => {});
      return mintPushCredential(assignment, authorize, abort, later);
    }
    const why = `no credential for the repository: ${error.message}`;
    throw new CheckoutError(error.isTransient ? 'repository_unavailable' : 'config_invalid', why);
  }
}
