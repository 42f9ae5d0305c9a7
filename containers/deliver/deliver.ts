import { commitTree } from '../../gates/checkout/commit.ts';
import { CheckoutError } from '../../gates/checkout/error.ts';
import { createBoxClient, RefusedError } from '../../shared/api/box-client.ts';
import type { DeliverAssignment } from '../../shared/messages/assignment.ts';
import { BOX_ENV } from '../../shared/names.ts';
import type { Box } from '../supervisor/box.ts';
import { credentialFor, takeCredentials } from '../supervisor/credentials.ts';
import { rebuildTree } from '../supervisor/rebuild.ts';
import { mergeOnto } from './onto.ts';
import { pushNewBranch } from './push.ts';

/**
 * Leave to push comes from the API of this deployment alone, which the task definition names: an assignment cannot choose its judge.
 * @throws Error when it names another.
 */
function askOnly(known: string | undefined, { api_url }: DeliverAssignment): void {
  const plain = (url: string) => url.replace(/\/+$/, '');
  if (!known || plain(known) !== plain(api_url))
    throw new Error(`the assignment names another API than ${BOX_ENV.apiUrl}`);
}

/**
 * Pushes the tree that the verdict covers as a new branch. Nothing of the patch is ever run, nor even written to a
 * folder: base and patch meet in an index, and only objects are pushed.
 */
export async function deliver(assignment: DeliverAssignment, box: Box): Promise<void> {
  const credentials = takeCredentials();
  askOnly(process.env[BOX_ENV.apiUrl], assignment);
  const client = createBoxClient(assignment);
  const { base_commit, tree } = assignment;
  const refuse = (reason: string) =>
    client.post('delivery', { step: 'refused', base_commit, tree, reason: reason.slice(0, 4_000) });
  try {
    await client.post('delivery', { step: 'authorize', base_commit, tree });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    // The API has the last word, and it knows: nothing to report.
    console.error(error.message);
    return;
  }
  try {
    const credential = assignment.push_credential ?? credentialFor(credentials, assignment.repository);
    const store = await rebuildTree(
      { ...assignment, read_credential: assignment.read_credential ?? credential },
      box,
    );
    const commit = await commitTree(store, {
      tree,
      parent: assignment.base_commit,
      message: assignment.message,
      author: assignment.author,
      at: assignment.committed_at,
    });
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
      const why = await mergeOnto(store, { assignment, credential }, pushed.moved, box, client);
      if (why !== null) await refuse(why);
      return;
    }
    await client.post('delivery', { step: 'delivered', base_commit, tree, commit });
  } catch (error) {
    if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
    await refuse(`${error.failureClass}: ${error.message}`);
  }
}
