import { Refusal } from '../../contract/refusal.ts';
import { isSameRepository } from '../../contract/repository/repository-url.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ForgeClient } from '../../control/forge/forge.ts';
import { changeRequestMarker } from '../../control/forge/issue-tasks.ts';
import { pullRequestReplyMarker } from '../../control/forge/pull-request-report.ts';
import { buildRevision, describeReview, taskIdOfRevision } from '../../control/forge/revision-tasks.ts';
import {
  createEventResult,
  createIgnoredEventResult,
  type ForgeEventResult,
  taskIdOfBranch,
  type WebhookAction,
} from '../../control/forge/webhook.ts';
import { cancelTask } from '../../control/task-commands/operator-commands.ts';
import type { PullRequestEventContext } from './pull-request-context.ts';

/** A request to revise a pull request. */
interface RevisionRequest {
  readonly number: number;
  /** Names the comment or review. */
  readonly key: string;
  readonly by: string;
  readonly readFeedback: (client: ForgeClient) => Promise<string>;
}

/** Returns the task that a pull request was opened for, if Assay opened it: the branch alone could be named so by others. */
export async function findTaskOfOwnBranch(
  { branch, from_fork }: { readonly branch: string; readonly from_fork: boolean },
  { tasks, repository }: Pick<PullRequestEventContext, 'tasks' | 'repository'>,
): Promise<Task | null> {
  const id = from_fork ? null : taskIdOfBranch(branch);
  const task = id === null ? null : await tasks.get(id);
  return task &&
    isSameRepository(task.repository, repository) &&
    task.delivery?.state === 'delivered' &&
    task.delivery.branch === branch
    ? task
    : null;
}

/** The revisions of a pull request that exist, oldest first. */
async function listRevisions(
  number: number,
  { tasks, repository, setting }: Pick<PullRequestEventContext, 'tasks' | 'repository' | 'setting'>,
): Promise<Task[]> {
  const found: Task[] = [];
  // None is made before the one before it.
  while (found.length < setting.max_revisions) {
    const task = await tasks.get(taskIdOfRevision(repository, number, found.length + 1));
    if (task === null) break;
    found.push(task);
  }
  return found;
}

/** Starts a task that revises a pull request of ours, one at a time and so many in all; answers why not otherwise. */
async function revise(
  { number, key, by, readFeedback }: RevisionRequest,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> {
  const { setting, tasks, now } = context;
  const client = await context.forge();
  if (!(await client.canWrite(by))) return createIgnoredEventResult(`${by} may not push to the repository`);
  const change = await client.readChangeRequest(number);
  if (!change?.is_open) return createIgnoredEventResult('the pull request is not open');
  const opened = await findTaskOfOwnBranch(change, context);
  const refuse = async (why: string, task: string | null = null): Promise<ForgeEventResult> => {
    const marker = pullRequestReplyMarker(key);
    const body = `${marker}\nNothing was started: ${why}.`;
    await client.upsertComment({ kind: 'change', number }, marker, body);
    return createIgnoredEventResult(why, task);
  };
  if (opened === null) {
    const why = 'only pull requests that Assay opened are revised';
    // Most reviews are about work of others, and ask nothing of Assay.
    return key.startsWith('review-') ? createIgnoredEventResult(why) : refuse(why);
  }
  const revisions = await listRevisions(number, context);
  const same = revisions.find(({ revision_of }) => revision_of?.request === key);
  if (same) return createIgnoredEventResult('is known', same.id);
  const live = revisions.find(({ status }) => !isTerminalStatus(status));
  if (live)
    return refuse(`task \`${live.id}\` works on an earlier request; ask again when it has ended`, live.id);
  const generation = revisions.length + 1;
  if (generation > setting.max_revisions)
    return refuse(`the limit is ${setting.max_revisions} revisions of one pull request (max_revisions)`);
  const feedback = await readFeedback(client);
  if (feedback === '') return refuse('the review has no text');
  const revision = { task_id: opened.id, number, branch: change.branch, generation };
  const task = buildRevision(opened, { ...revision, request: key, requested_by: by }, feedback, now);
  const made = await tasks.create(task);
  // Another request took the place meanwhile: this one is looked at again when it is delivered again.
  if (!made.created && made.task.revision_of?.request !== key)
    throw new Refusal('busy', 'another request to revise the pull request came at the same time');
  const marker = changeRequestMarker(task.id);
  const body = `${marker}\nTask \`${task.id}\` revises this pull request: ${generation} of ${setting.max_revisions}.`;
  if (made.created) await client.upsertComment({ kind: 'change', number }, marker, body);
  return createEventResult('revises a pull request', task.id);
}

/** Starts a revision for a comment of the form `/assay fix TEXT`. */
export const reviseForComment = (
  { number, comment, by }: Extract<WebhookAction, { kind: 'pull_request_command' }>,
  text: string,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> =>
  revise({ number, key: `comment-${comment}`, by, readFeedback: () => Promise.resolve(text) }, context);

/** Starts a revision for a review that requests changes. */
export const reviseForReview = (
  { number, review, text, by }: Extract<WebhookAction, { kind: 'changes_requested' }>,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> =>
  revise(
    {
      ...{ number, key: `review-${review}`, by },
      readFeedback: async (client) => describeReview(text, await client.listReviewComments(number, review)),
    },
    context,
  );

/** Cancels what works on a pull request of ours that was merged or closed. */
export async function stopRevisions(
  number: number,
  { reason, at }: { readonly reason: string; readonly at: string },
  context: Pick<PullRequestEventContext, 'tasks' | 'repository' | 'setting' | 'pullRequests' | 'now'>,
): Promise<void> {
  const { tasks, repository, pullRequests, now } = context;
  await pullRequests.recordClosed(repository, number, at, now);
  const verification = await pullRequests.findTask(repository, number);
  const ids = [
    ...(await listRevisions(number, context)).map(({ id }) => id),
    ...(verification === null ? [] : [verification]),
  ];
  for (const id of ids)
    if (await tasks.get(id))
      await tasks.apply(id, (task) =>
        isTerminalStatus(task.status) ? null : cancelTask(task, reason, 'forge', now),
      );
}
