import { Refusal } from '../../contract/refusal.ts';
import { TaskSubmission } from '../../contract/submission/schema.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import type { PullRequestFields } from '../../contract/task/task.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { type ForgeChangeRequest, ForgeError } from '../../control/forge/forge.ts';
import {
  approvalLine,
  buildPullRequestExplanation,
  pullRequestReplyMarker,
} from '../../control/forge/pull-request-report.ts';
import {
  describePullRequest,
  type LinkedIssue,
  parseClosedIssues,
  pullRequestSelectionReason,
  taskIdOfPullRequest,
} from '../../control/forge/pull-request-tasks.ts';
import {
  createEventResult,
  createIgnoredEventResult,
  type ForgeEventResult,
  type PullRequestCommand,
  type WebhookAction,
} from '../../control/forge/webhook.ts';
import { recordDeliveryOutcome } from '../../control/task-commands/delivery-outcome.ts';
import { cancelTask, reviewHeldTask } from '../../control/task-commands/operator-commands.ts';
import { MAX_REQUESTS_PER_HOUR } from '../../store/pull-requests.ts';
import { submitTask } from '../submit/submit-task.ts';
import type { PullRequestEventContext } from './pull-request-context.ts';
import { findTaskOfOwnBranch, reviseForComment, reviseForReview } from './revise-pull-request.ts';

type PullRequestAction = Extract<
  WebhookAction,
  {
    kind:
      | 'pull_request'
      | 'pull_request_closed'
      | 'pull_request_command'
      | 'changes_requested'
      | 'merge_group';
  }
>;

/** Nothing of a pull request is stored beside its task. */
const NO_OBJECTS = {
  putIfAbsent: () => Promise.reject(new Error('a pull request has nothing to store')),
};

/** Attempts of one verification: more than one only where a container was lost. */
const MAX_ATTEMPTS = 3;

/** Reads the issues that a pull request closes. What cannot be read is named in the task instead. */
async function readLinkedIssues(
  { title, body }: ForgeChangeRequest,
  { repository, forge }: PullRequestEventContext,
): Promise<LinkedIssue[]> {
  const numbers = parseClosedIssues(`${title}\n${body}`, repository);
  if (numbers.length === 0) return [];
  try {
    const client = await forge();
    return await Promise.all(
      numbers.map(async (number): Promise<LinkedIssue> => {
        const issue = await client.readIssue(number);
        return issue ? { number, ...issue } : { number, unread: 'the forge has no such issue' };
      }),
    );
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return numbers.map((number) => ({ number, unread: error.message }));
  }
}

/** What a push onto a pull request of ours is judged by: the same as the work that the pull request was opened with. */
const requirementsOf = (opened: Task): Partial<TaskSubmission> => ({
  title: opened.title,
  description: opened.description,
  acceptance_criteria: opened.acceptance_criteria,
  completion_signals: opened.completion_signals,
  files: opened.files,
  expected_changes: opened.expected_changes,
  ...(opened.workflow !== undefined && { workflow: opened.workflow }),
  ...(opened.acceptance_tests !== undefined && { acceptance_tests: opened.acceptance_tests }),
  ...(opened.challenge !== undefined && { challenge: opened.challenge }),
});

/**
 * Makes the task that verifies one head commit, by one conditional write.
 * @param opened the task that the pull request was opened for, if Assay opened it
 */
async function submitVerification(
  change: ForgeChangeRequest,
  fields: Pick<
    PullRequestFields,
    'kind' | 'previous_head' | 'head_commit' | 'head_ref' | 'base_branch' | 'at'
  >,
  { base, again, by }: { readonly base: string; readonly again: string | null; readonly by: string },
  context: PullRequestEventContext,
  opened: Task | null = null,
): Promise<ForgeEventResult> {
  const { repository } = context;
  const { number, author, author_kind, from_fork } = change;
  const id = taskIdOfPullRequest(repository, { ...fields, number }, again);
  if (await context.tasks.get(id)) return createIgnoredEventResult('is verified already', id);
  // Loaded only where there is one: it needs readers of YAML and of regular expressions.
  const asked = change.body.includes('assay')
    ? (await import('../../control/forge/author-signals.ts')).parseAuthorSignals(change.body)
    : null;
  const issues = opened ? [] : await readLinkedIssues(change, context);
  const read = issues.filter((each) => !('unread' in each)).map((issue) => issue.number);
  const request = TaskSubmission.parse({
    id,
    title: change.title.trim().slice(0, 500) || `Pull request ${number}`,
    description: describePullRequest(change, issues, asked && 'problem' in asked ? asked.problem : null),
    role: 'auto',
    repository,
    base_ref: base,
    budget: { max_attempts: MAX_ATTEMPTS },
    ...(opened && requirementsOf(opened)),
  });
  try {
    await submitTask(request, {
      ...context,
      // Nothing is pushed: that the deployment has no credential to push there does not matter.
      pushScopes: [],
      objects: NO_OBJECTS,
      submitter: `forge:${by}`.slice(0, 200),
      idempotencyKey: null,
      pullRequest: {
        ...{ ...fields, number, author, author_kind, from_fork, issues: read },
        ...(asked && 'signals' in asked && { author_signals: asked.signals }),
      },
      ...(opened && { storedTests: opened }),
    });
  } catch (error) {
    // Another event about the same head was quicker, with another text.
    if (error instanceof Refusal && error.code === 'id_taken')
      return createIgnoredEventResult('is verified already', id);
    throw error;
  }
  return createEventResult('verifies a pull request', id);
}

/** GitLab's events name who has pushed or put a label on, and not who has opened the merge request. */
async function withAuthor(
  change: ForgeChangeRequest,
  { forge }: PullRequestEventContext,
): Promise<ForgeChangeRequest> {
  const known = await (await forge()).readChangeRequest(change.number);
  if (!known) return change;
  const { author, author_kind } = known;
  return { ...change, author, author_kind, is_open: change.is_open && known.is_open };
}

async function verifyChange(
  {
    change: told,
    previous_head,
    added_labels,
    isAgain,
    at,
  }: Extract<WebhookAction, { kind: 'pull_request' }>,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> {
  const { setting } = context;
  const change = setting.forge === 'gitlab' ? await withAuthor(told, context) : told;
  if (!change.is_open) return createIgnoredEventResult('the pull request is not open');
  const opened = await findTaskOfOwnBranch(change, context);
  if (opened !== null && opened.delivery?.commit === change.head_commit)
    return createIgnoredEventResult('the head has the check of its own task', opened.id);
  const selecting = setting.pull_requests.labels ?? [setting.label];
  if (added_labels !== null && !added_labels.some((each) => selecting.includes(each)))
    return createIgnoredEventResult('the label selects nothing');
  if (opened === null && pullRequestSelectionReason(change, setting) === null)
    return createIgnoredEventResult(
      change.is_draft ? 'the pull request is a draft' : 'nothing selects the pull request',
    );
  const { head_commit, head_ref, author, base: base_branch } = change;
  return submitVerification(
    change,
    { kind: 'pull_request', previous_head, head_commit, head_ref, base_branch, at },
    { base: change.base, again: isAgain ? at : null, by: author },
    context,
    opened,
  );
}

async function verifyMergeGroup(
  {
    number,
    head_ref,
    head_commit,
    base_commit,
    base_branch,
  }: Extract<WebhookAction, { kind: 'merge_group' }>,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> {
  const client = await context.forge();
  const change = await client.readChangeRequest(number);
  if (change === null) return createIgnoredEventResult('the forge has no such pull request');
  const opened = await findTaskOfOwnBranch(change, context);
  // A required check that is never reported would hold up the queue: each group is verified that has a pull request
  // of ours or a selected one.
  if (opened === null && pullRequestSelectionReason(change, context.setting) === null)
    return createIgnoredEventResult('nothing selects the pull request');
  return submitVerification(
    change,
    {
      ...{ kind: 'merge_group', previous_head: null, head_commit, head_ref, base_branch },
      at: context.now.toISOString(),
    },
    { base: base_commit, again: null, by: change.author },
    context,
    opened,
  );
}

/** Forges tell times in whole seconds. */
const secondsOf = (iso: string): number => Math.floor(Date.parse(iso) / 1_000);

async function stopVerification(
  { number, head_commit, at, merged }: Extract<WebhookAction, { kind: 'pull_request_closed' }>,
  { repository, pullRequests, tasks, now }: PullRequestEventContext,
): Promise<ForgeEventResult> {
  await pullRequests.recordClosed(repository, number, at, now);
  const id =
    (await pullRequests.findTask(repository, number)) ??
    taskIdOfPullRequest(repository, { kind: 'pull_request', number, head_commit });
  const task = await tasks.get(id);
  if (!task) return createIgnoredEventResult('no task verifies the pull request');
  const { changed } = await tasks.apply(task, (each) =>
    isTerminalStatus(each.status) || secondsOf(at) < secondsOf(each.pull_request?.at ?? at)
      ? null
      : cancelTask(each, 'the pull request was closed', 'forge', now),
  );
  // Metrics tell by it how often verified work is reverted.
  if (merged !== null)
    await tasks.apply(id, (each) =>
      each.status === 'done' ? recordDeliveryOutcome(each, merged, now) : null,
    );
  return changed
    ? createEventResult('the pull request was closed', id)
    : createIgnoredEventResult('the verification is over, or newer', id);
}

/** Returns why a comment does not approve the held work of a task, or null. The author of the work approves nothing. */
function approvalRefusal(task: Task | null, by: string, at: string, commit: string | null): string | null {
  if (!task?.pull_request) return 'no task verifies this pull request';
  if (task.pull_request.author.toLowerCase() === by.toLowerCase())
    return 'the author of a pull request cannot approve it';
  if (!task.hold) return `its verification does not wait for a reviewer: it is ${task.status}`;
  if (secondsOf(at) < secondsOf(task.hold.since))
    return 'the comment is older than the result that it would approve';
  if (commit === null || !task.pull_request.head_commit.startsWith(commit))
    return `an approval names the head commit; write \`${approvalLine(task.pull_request)}\``;
  return null;
}

async function approve(
  task: Task | null,
  { by, at }: Extract<WebhookAction, { kind: 'pull_request_command' }>,
  { commit, reason }: Extract<PullRequestCommand, { name: 'approve' }>,
  { tasks, now }: PullRequestEventContext,
): Promise<{ readonly refused: string } | { readonly id: string }> {
  const refused = approvalRefusal(task, by, at, commit);
  if (refused !== null || task === null) return { refused: refused ?? 'no task verifies this pull request' };
  const tree = currentAttempt(task)?.artifact?.tree ?? '';
  const { changed } = await tasks.apply(task, (each) =>
    approvalRefusal(each, by, at, commit) === null
      ? reviewHeldTask(each, 'approve', reason, `forge:${by}`.slice(0, 200), { tree }, now)
      : null,
  );
  return changed ? { id: task.id } : { refused: 'it was decided already' };
}

/** Carries out what a comment on a pull request asks for, if its author may push to the repository. */
async function runCommand(
  action: Extract<WebhookAction, { kind: 'pull_request_command' }>,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> {
  const { command, number, comment, by, at } = action;
  const client = await context.forge();
  if (!(await client.canWrite(by))) return createIgnoredEventResult(`${by} may not push to the repository`);
  if (
    command.name !== 'approve' &&
    !(await context.pullRequests.countRequest(context.repository, number, comment, context.now))
  ) {
    const why = `${MAX_REQUESTS_PER_HOUR} comments of a pull request are answered within an hour; ask again later`;
    const marker = pullRequestReplyMarker('many');
    await client.upsertComment({ kind: 'change', number }, marker, `${marker}\nNothing was started: ${why}.`);
    return createIgnoredEventResult(why);
  }
  if (command.name === 'fix') return reviseForComment(action, command.text, context);
  if (command.name === 'verify') {
    const change = await client.readChangeRequest(number);
    if (!change?.is_open) return createIgnoredEventResult('the pull request is not open');
    const { head_commit, head_ref, base: base_branch } = change;
    return submitVerification(
      change,
      { kind: 'pull_request', previous_head: null, head_commit, head_ref, base_branch, at },
      { base: change.base, again: at, by },
      context,
      await findTaskOfOwnBranch(change, context),
    );
  }
  const current = await context.pullRequests.findTask(context.repository, number);
  const task = current === null ? null : await context.tasks.get(current);
  const reply = (text: string): Promise<void> => {
    const marker = pullRequestReplyMarker(comment);
    return client.upsertComment({ kind: 'change', number }, marker, `${marker}\n${text}`);
  };
  if (command.name !== 'approve') {
    await reply(task ? buildPullRequestExplanation(task) : 'No verification of this pull request is known.');
    return task
      ? createEventResult('explained', task.id)
      : createIgnoredEventResult('no task verifies the pull request');
  }
  const decided = await approve(task, action, command, context);
  if ('id' in decided) return createEventResult('approved', decided.id);
  if (decided.refused !== 'it was decided already') await reply(`Not approved: ${decided.refused}.`);
  return createIgnoredEventResult(decided.refused, task?.id ?? null);
}

/** Carries out an event about a pull request. */
export function applyPullRequestEvent(
  action: PullRequestAction,
  context: PullRequestEventContext,
): Promise<ForgeEventResult> {
  switch (action.kind) {
    case 'pull_request':
      return verifyChange(action, context);
    case 'pull_request_closed':
      return stopVerification(action, context);
    case 'pull_request_command':
      return runCommand(action, context);
    case 'changes_requested':
      return reviseForReview(action, context);
    case 'merge_group':
      return verifyMergeGroup(action, context);
  }
}
