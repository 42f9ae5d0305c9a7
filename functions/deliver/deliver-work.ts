import { ApiRefusalError, createContainerClient } from '../../shared/api/container-client.ts';
import type { DeliveryAssignment } from '../../shared/contract/messages/assignment.ts';
import type { WriteCredentialRequest } from '../../shared/contract/messages/credential-messages.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { CredentialProvider } from '../../shared/store/credential-provider.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { writeCommit } from '../../workspace/git/write-commit.ts';
import type { ContainerContext } from '../../workspace/supervisor/container.ts';
import { rebuildTree } from '../../workspace/supervisor/rebuild-tree.ts';
import { logger } from '../runtime/logger.ts';
import { reportReverts } from './find-reverts.ts';
import { mergeOntoTarget } from './merge-onto-target.ts';
import { mintPushCredential } from './mint-push-credential.ts';
import { pushNewBranch } from './push-branch.ts';
import { pushCredentialFor } from './push-credentials.ts';

/**
 * Leave to push comes from the API of this deployment alone, which the template names: an assignment cannot choose its judge.
 * @throws Error when it names another.
 */
function requireOwnApi(known: string, { api_url }: DeliveryAssignment): void {
  const plain = (url: string) => url.replace(/\/+$/, '');
  if (plain(known) !== plain(api_url))
    throw new Error(`the assignment names another API than ${FUNCTION_ENV_NAMES.apiUrl}`);
}

/** What is pushed with. */
export interface PushCredentialSources {
  /** Of the minter, for this delivery alone. */
  readonly getCredential: CredentialProvider<WriteCredentialRequest>;
  /** The deployment's own; asked where the minter makes none. */
  readonly readSecret: () => Promise<string | null>;
}

/**
 * Pushes the tree that the verdict covers as a new branch. Nothing of the patch is ever run, nor even written to a
 * folder: base and patch meet in an index, and only objects are pushed.
 * Both ways to a credential are gone when there is leave to push, and not before.
 */
export async function deliverWork(
  assignment: DeliveryAssignment,
  box: ContainerContext,
  { getCredential, readSecret }: PushCredentialSources,
): Promise<void> {
  requireOwnApi(requireEnv(FUNCTION_ENV_NAMES.apiUrl), assignment);
  const client = createContainerClient(assignment);
  const { base_commit, tree } = assignment;
  const refuse = (why: string) => {
    const reason = box.abort.aborted ? `there was no time left: ${why}` : why;
    return client.post('delivery', { step: 'refused', base_commit, tree, reason: reason.slice(0, 4_000) });
  };
  try {
    await client.post('delivery', { step: 'authorize', base_commit, tree });
  } catch (error) {
    if (!(error instanceof ApiRefusalError)) throw error;
    // The API has the last word, and it knows: nothing to report.
    logger.info('there is no leave to push', { task_id: assignment.task_id, refusal: error.message });
    return;
  }
  try {
    const credential =
      (await mintPushCredential(assignment, getCredential, box.abort)) ??
      pushCredentialFor(await readSecret(), assignment.repository);
    // Git that is begun when time is up is ended by nobody.
    if (box.abort.aborted) {
      await refuse('the push was not begun');
      return;
    }
    const store = await rebuildTree(
      { ...assignment, read_credential: assignment.read_credential ?? credential },
      box,
    );
    const commit = await writeCommit(store, {
      tree,
      parent: assignment.base_commit,
      message: assignment.message,
      author: assignment.author,
      at: assignment.committed_at,
    });
    if (box.abort.aborted) {
      await refuse('the push was not begun');
      return;
    }
    const { deliver_as, target } = assignment;
    const pushed = await pushNewBranch(store, {
      url: assignment.repository,
      branch: assignment.branch,
      commit,
      authorization: credential,
      allowFile: box.embedded,
      ...(deliver_as === 'merge_queue' && target !== undefined
        ? { target: { branch: target, at: base_commit } }
        : {}),
    });
    if (pushed !== null && 'refused' in pushed) {
      await refuse(pushed.refused);
      return;
    }
    if (pushed !== null) {
      const why = await mergeOntoTarget(store, { assignment, credential }, pushed.moved, box, client);
      if (why !== null) await refuse(why);
      return;
    }
    await client.post('delivery', { step: 'delivered', base_commit, tree, commit });
    await reportReverts(assignment, assignment.read_credential ?? credential, box, client);
  } catch (error) {
    if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
    await refuse(`${error.failureClass}: ${error.message}`);
  }
}
