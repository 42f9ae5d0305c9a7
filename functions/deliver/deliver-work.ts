import { setTimeout as pause } from 'node:timers/promises';
import { ApiRefusalError, createContainerApiClient } from '../../shared/api/container-client.ts';
import type { DeliveryAssignment } from '../../shared/contract/messages/assignment.ts';
import type { WriteCredentialRequest } from '../../shared/contract/messages/credential-messages.ts';
import {
  findMostSpecificScope,
  parseRepositoryUrl,
} from '../../shared/contract/repository/repository-url.ts';
import { PushCredentials } from '../../shared/contract/repository/schema.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { BaseCommitAndTree } from '../../shared/contract/task/task.ts';
import {
  CredentialUnavailableError,
  type GitCredentialProvider,
} from '../../shared/store/credential-provider.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { type GitStore, runGitInStore } from '../../workspace/git/git-store.ts';
import { type GitResult, gitErrorMessage } from '../../workspace/git/run-git.ts';
import { writeCommit } from '../../workspace/git/write-commit.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { rebuildSubmittedTree } from '../../workspace/supervisor/rebuild-tree.ts';
import { logger } from '../runtime/logger.ts';
import { reportDeliveryReverts } from './find-reverts.ts';
import { mergeOntoTargetBranch } from './merge-onto-target.ts';

interface PushOptions {
  readonly url: string;
  readonly branch: string;
  readonly commit: string;
  readonly authorization: string | null;
  readonly allowFile: boolean;
  /** A branch that moves along, in the same moment or not at all, and only from where it is expected to be. */
  readonly target?: { readonly branch: string; readonly at: string };
}

/** What became of a push. `moved`: the target is no longer where it was expected, but there. */
type PushOutcome = null | { readonly refused: string } | { readonly moved: string };

const refOf = (branch: string): string => `refs/heads/${branch.replace(/^refs\/heads\//, '')}`;

/** A reference that the remote does not take, with the reason in brackets. Of an atomic push the others are refused for its sake. */
const REJECTED = /^ ! \[(?:remote )?rejected\] +.*\((?!atomic push failed\b)(.+)\)$/m;
/** Why a push was refused: what the remote said of a reference says more than git's last word. */
const reasonOf = (pushed: GitResult): string => REJECTED.exec(pushed.stderr)?.[1] ?? gitErrorMessage(pushed);

/** What the remote has at each of these. @throws CheckoutError */
async function refsOf(
  store: GitStore,
  refs: readonly string[],
  { url, authorization, allowFile }: PushOptions,
): Promise<ReadonlyMap<string, string>> {
  const listed = await runGitInStore(store, ['ls-remote', '--', url, ...refs], {
    access: { url, authorization, allowFile },
  });
  if (listed.code !== 0) throw new CheckoutError('repository_unavailable', gitErrorMessage(listed));
  const lines = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((each) => {
      const [id = '', ref = ''] = each.split('\t');
      return [ref, id];
    }),
  );
}

/**
 * Returns why a branch cannot exist beside others, or null: git stores `x` as a file where `x/y` needs a folder.
 * @throws CheckoutError `repository_unavailable` when the remote cannot be asked.
 */
async function blockingBranchReason(
  store: GitStore,
  branch: string,
  options: PushOptions,
): Promise<string | null> {
  const ref = refOf(branch);
  const parts = ref.split('/');
  const above = parts.slice(3).map((_, index) => parts.slice(0, index + 3).join('/'));
  const there = await refsOf(store, [...above, `${ref}/*`], options);
  // A server may answer with more: a pattern without a slash at its beginning matches at any depth.
  const blocking = [...there.keys()].find((each) => above.includes(each) || each.startsWith(`${ref}/`));
  if (blocking === undefined) return null;
  const name = blocking.replace(/^refs\/heads\//, '');
  return `branch ${name} blocks ${branch}: git cannot have both; rename or delete ${name}`;
}

/**
 * Creates a branch on the remote, and moves the target along where there is one. A branch that is already exactly that commit counts as
 * done, and says that the target was moved with it; any other is left alone. Where the branch is the target itself, it moves from where it
 * is expected to the commit, whose parent that is: history is added to, and never rewritten.
 * @throws CheckoutError `repository_unavailable` when the remote cannot be asked.
 */
export async function pushNewBranch(store: GitStore, options: PushOptions): Promise<PushOutcome> {
  const { url, branch, commit, authorization, allowFile, target } = options;
  const ref = refOf(branch);
  const onto = target && refOf(target.branch);
  const isTarget = onto === ref;
  const pushed = await runGitInStore(
    store,
    [
      'push',
      '--quiet',
      '--no-verify',
      '--no-signed',
      ...(url.startsWith('file:') ? ['--receive-pack=git -c safe.directory=* receive-pack'] : []),
      // An empty expectation: the branch must not exist.
      ...(isTarget ? [] : [`--force-with-lease=${ref}:`]),
      ...(target ? ['--atomic', `--force-with-lease=${onto}:${target.at}`] : []),
      '--',
      url,
      `${commit}:${ref}`,
      ...(target && !isTarget ? [`${commit}:${onto}`] : []),
    ],
    { access: { url, authorization, allowFile }, timeoutMs: 300_000 },
  );
  if (pushed.code === 0) return null;
  const there = await refsOf(store, onto === undefined ? [ref] : [ref, onto], options);
  if (there.get(ref) === commit) return null;
  if (there.has(ref) && !isTarget)
    return { refused: `branch ${branch} exists already, at ${there.get(ref)}` };
  const at = onto && there.get(onto);
  if (target && at === undefined) return { refused: `there is no branch ${target.branch}` };
  if (target && at !== undefined && at !== target.at) return { moved: at };
  const blocked = await blockingBranchReason(store, branch, options);
  return { refused: blocked ?? `the push was refused: ${reasonOf(pushed)}` };
}

/** Milliseconds after which a minter is asked again that may have something in a moment. */
const RETRY_DELAYS_MS = [1_000, 4_000, 15_000, 40_000];

/**
 * The Authorization header that the minter makes for this delivery, good for its repository and an hour; null: it makes none. Asked for when there
 * is leave to push, so that nobody holds it who may not push.
 * @throws CheckoutError
 */
export async function requestPushCredential(
  assignment: Pick<DeliveryAssignment, 'task_id' | 'repository' | 'token'>,
  authorize: GitCredentialProvider<WriteCredentialRequest>,
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
      return requestPushCredential(assignment, authorize, abort, later);
    }
    const why = `no credential for the repository: ${error.message}`;
    throw new CheckoutError(error.isTransient ? 'repository_unavailable' : 'config_invalid', why);
  }
}

/**
 * The Authorization header to push to this repository with; null when the deployment has no credentials at all.
 * @throws CheckoutError `config_invalid` when the secret cannot be read, or is for other repositories. Nothing of it is told.
 */
export function selectPushCredential(secret: string | null, repository: string): string | null {
  const address = parseRepositoryUrl(repository);
  if ('error' in address || address.href !== repository)
    throw new CheckoutError('config_invalid', 'the URL of the repository is not in its plain form');
  if (secret === null) return null;
  const entry = findMostSpecificScope(parse(secret).credentials, repository);
  if (!entry)
    throw new CheckoutError('config_invalid', `the deployment has no credential to push to ${repository}`);
  return 'authorization' in entry
    ? entry.authorization
    : `Basic ${Buffer.from(`x-access-token:${entry.token}`).toString('base64')}`;
}

function parse(secret: string): PushCredentials {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    throw new CheckoutError('config_invalid', 'the push credential of the deployment is not JSON');
  }
  const result = PushCredentials.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => `/${issue.path.join('/')}`).join(', ');
  throw new CheckoutError('config_invalid', `the push credential of the deployment is wrong at ${fields}`);
}

/**
 * Leave to push comes from the API of this deployment alone, which the template names: an assignment cannot choose its judge.
 * @throws Error when it names another.
 */
function requireOwnApi(known: string, { api_url }: DeliveryAssignment): void {
  const plain = (url: string) => url.replace(/\/+$/, '');
  if (plain(known) !== plain(api_url))
    throw new Error(`the assignment names another API than ${FUNCTION_ENV_NAMES.apiUrl}`);
}

/** What a push depends on beside the API's permission. */
export interface PushRequirements {
  /** Whether this tree on this base commit has a passing verdict or an approval, by what their writers alone can record. */
  readonly isAccepted: (task: string, work: BaseCommitAndTree) => Promise<boolean>;
  /** Of the minter, for this delivery alone. */
  readonly getCredential: GitCredentialProvider<WriteCredentialRequest>;
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
  box: ContainerWorkContext,
  { isAccepted, getCredential, readSecret }: PushRequirements,
): Promise<void> {
  requireOwnApi(readRequiredEnv(FUNCTION_ENV_NAMES.apiUrl), assignment);
  const client = createContainerApiClient(assignment);
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
  if (!(await isAccepted(assignment.task_id, { base_commit, tree }))) {
    logger.error('the task item says accepted, but there is no record of it', {
      task_id: assignment.task_id,
    });
    await refuse(`no passing verdict and no approval is recorded for tree ${tree} on base ${base_commit}`);
    return;
  }
  try {
    const credential =
      (await requestPushCredential(assignment, getCredential, box.abort)) ??
      selectPushCredential(await readSecret(), assignment.repository);
    // Git that is begun when time is up is ended by nobody.
    if (box.abort.aborted) {
      await refuse('the push was not begun');
      return;
    }
    const store = await rebuildSubmittedTree(
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
    const { delivery_mode, target_branch: target } = assignment;
    const pushed = await pushNewBranch(store, {
      url: assignment.repository,
      branch: assignment.branch,
      commit,
      authorization: credential,
      allowFile: box.embedded,
      ...(delivery_mode === 'merge_queue' && target !== undefined
        ? { target: { branch: target, at: base_commit } }
        : {}),
    });
    if (pushed !== null && 'refused' in pushed) {
      await refuse(pushed.refused);
      return;
    }
    if (pushed !== null) {
      const why = await mergeOntoTargetBranch(store, { assignment, credential }, pushed.moved, box, client);
      if (why !== null) await refuse(why);
      return;
    }
    await client.post('delivery', { step: 'delivered', base_commit, tree, commit });
    await reportDeliveryReverts(assignment, assignment.read_credential ?? credential, box, client);
  } catch (error) {
    if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
    await refuse(`${error.failureClass}: ${error.message}`);
  }
}
