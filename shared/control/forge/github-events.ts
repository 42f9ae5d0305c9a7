import * as z from 'zod';
import { GitObjectId } from '../../contract/repository/git-ref.ts';
import type { DeliveryOutcome } from '../../contract/task/delivery-outcome.ts';
import type { ForgeChangeRequest } from './forge.ts';
import {
  createIgnoredWebhookAction,
  isRetryCommand,
  parsePullRequestCommand,
  parseReverts,
  revertedTaskId,
  taskIdOfBranch,
  type Webhook,
  type WebhookAction,
  type WebhookHeaders,
} from './webhook.ts';

const Login = z.object({ login: z.string().max(100) });
const When = z.iso.datetime({ offset: true });
const Base = z.object({
  action: z.string().optional(),
  repository: z.object({ clone_url: z.string(), default_branch: z.string().optional() }).optional(),
});
const Issue = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  updated_at: When,
  pull_request: z.looseObject({}).optional(),
});
const Labeled = z.object({ issue: Issue, label: z.object({ name: z.string() }), sender: Login });
/** What is verified of a pull request. GitHub sends more; the fields that reports of outcomes need are below. */
const Verifiable = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string().max(100), type: z.string().optional() }).nullable(),
  labels: z.array(z.object({ name: z.string() })).default([]),
  draft: z.boolean().nullish(),
  state: z.string().default('open'),
  updated_at: When,
  head: z.object({ ref: z.string(), sha: GitObjectId, repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }) }),
});
const Changed = z.object({
  pull_request: Verifiable,
  before: GitObjectId.optional(),
  label: z.object({ name: z.string() }).nullish(),
  changes: z.object({ base: z.looseObject({}).optional() }).optional(),
});
const MergeGroup = z.object({
  merge_group: z.object({
    head_sha: GitObjectId,
    head_ref: z.string(),
    base_sha: GitObjectId,
    base_ref: z.string().min(1).max(1_000),
  }),
});
const Commented = z.object({
  issue: Issue,
  comment: z.object({
    id: z.number().int().positive().optional(),
    body: z.string(),
    created_at: When,
    author_association: z.string(),
    user: Login,
  }),
});
const Reviewed = z.object({
  pull_request: z.object({ number: z.number().int().positive() }),
  review: z.object({
    id: z.number().int().positive(),
    state: z.string(),
    body: z.string().nullish(),
    user: Login.nullable(),
  }),
});
const Pulled = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    body: z.string().nullish(),
    merged: z.boolean().nullish(),
    merged_at: When.nullish(),
    closed_at: When.nullish(),
    updated_at: When,
    merge_commit_sha: z.string().nullish(),
    merged_by: Login.nullish(),
    head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
    base: z.object({ repo: z.object({ full_name: z.string() }) }),
  }),
  sender: Login,
});

/** Who may write to the repository, or belongs to its owner: others may comment, and start nothing. */
const TRUSTED: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

function parseIssueLabel(value: unknown, label: string, base: string | null): WebhookAction {
  const { issue, label: put, sender } = Labeled.parse(value);
  if (put.name !== label) return createIgnoredWebhookAction(`the label is none of ours`);
  if (issue.pull_request) return createIgnoredWebhookAction('a pull request is no issue');
  return {
    kind: 'task',
    issue: issue.number,
    title: issue.title,
    description: issue.body ?? '',
    base,
    by: sender.login,
    at: issue.updated_at,
  };
}

function parseIssueComment(value: unknown): WebhookAction {
  const { issue, comment } = Commented.parse(value);
  if (!TRUSTED.has(comment.author_association))
    return createIgnoredWebhookAction(`${comment.author_association} may not ask for a retry`);
  const command = issue.pull_request ? parsePullRequestCommand(comment.body) : null;
  if (command && comment.id !== undefined)
    return {
      kind: 'pull_request_command',
      command,
      number: issue.number,
      comment: comment.id,
      by: comment.user.login,
      at: comment.created_at,
    };
  if (!isRetryCommand(comment.body)) return createIgnoredWebhookAction('the comment asks for nothing');
  return {
    kind: 'retry',
    issue: issue.number,
    body: issue.pull_request ? (issue.body ?? '') : '',
    by: comment.user.login,
    at: comment.created_at,
  };
}

/** Reads a pull request as GitHub sends it in events and answers. @throws ZodError */
export function readGitHubPullRequest(value: unknown): ForgeChangeRequest {
  const pull = Verifiable.parse(value);
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    author: pull.user?.login ?? 'ghost',
    author_kind: pull.user?.type === 'Bot' ? 'bot' : 'person',
    labels: pull.labels.map(({ name }) => name),
    is_draft: pull.draft === true,
    is_open: pull.state === 'open',
    from_fork: pull.head.repo?.full_name !== pull.base.repo.full_name,
    branch: pull.head.ref,
    base: pull.base.ref,
    head_commit: pull.head.sha,
    head_ref: `refs/pull/${pull.number}/head`,
  };
}

/** Actions after which a pull request is verified. */
const VERIFIED_ACTIONS: ReadonlySet<string> = new Set([
  'opened',
  'synchronize',
  'reopened',
  'ready_for_review',
  'labeled',
  'edited',
]);

/** What an event about a pull request of others asks for. */
function parseChangeOfOthers(
  action: string,
  value: unknown,
  merged: (DeliveryOutcome & { readonly outcome: 'merged' }) | null,
): WebhookAction {
  if (action !== 'closed' && !VERIFIED_ACTIONS.has(action))
    return createIgnoredWebhookAction(`${action} of a pull request is of no concern`);
  const { pull_request, before = null, label, changes } = Changed.parse(value);
  const change = readGitHubPullRequest(pull_request);
  const at = pull_request.updated_at;
  if (action === 'closed')
    return {
      kind: 'pull_request_closed',
      number: change.number,
      head_commit: change.head_commit,
      at,
      merged,
    };
  if (action === 'edited' && !changes?.base)
    return createIgnoredWebhookAction('the text of a pull request has changed: /assay verify reads it');
  return {
    kind: 'pull_request',
    change,
    previous_head: action === 'synchronize' ? before : null,
    added_labels: action === 'labeled' && label ? [label.name] : null,
    isAgain: action === 'reopened' || action === 'edited',
    at,
  };
}

function parseReview(value: unknown): WebhookAction {
  const { pull_request, review } = Reviewed.parse(value);
  if (review.state !== 'changes_requested' || review.user === null)
    return createIgnoredWebhookAction('the review requests no changes');
  return {
    kind: 'changes_requested',
    number: pull_request.number,
    review: review.id,
    text: review.body ?? '',
    by: review.user.login,
  };
}

function parseMergeGroup(action: string, value: unknown): WebhookAction {
  if (action !== 'checks_requested')
    return createIgnoredWebhookAction(`${action} of a merge group is of no concern`);
  const { head_sha, head_ref, base_sha, base_ref } = MergeGroup.parse(value).merge_group;
  const [, number] = /\/pr-([1-9]\d{0,9})-[0-9a-f]+$/.exec(head_ref) ?? [];
  return number === undefined
    ? createIgnoredWebhookAction('the merge group names no pull request')
    : {
        kind: 'merge_group',
        number: Number(number),
        head_ref,
        head_commit: head_sha,
        base_commit: base_sha,
        base_branch: base_ref.replace(/^refs\/heads\//, ''),
      };
}

function parsePullRequest(action: string, value: unknown, repository: string): WebhookAction {
  const { pull_request: pull, sender } = Pulled.parse(value);
  const merged = action === 'closed' && pull.merged === true;
  const of = { request: pull.number, by: pull.merged_by?.login ?? sender.login };
  const landed = { ...of, at: pull.merged_at ?? pull.updated_at, commit: pull.merge_commit_sha ?? null };
  const outcome = merged ? { ...landed, outcome: 'merged' as const } : null;
  // Anybody may call a branch of a fork as ours are called.
  if (pull.head.repo?.full_name !== pull.base.repo.full_name)
    return parseChangeOfOthers(action, value, outcome);
  const task = taskIdOfBranch(pull.head.ref);
  const undone = revertedTaskId(pull.head.ref);
  if (undone !== null)
    return merged
      ? { kind: 'outcome', task_id: undone, outcome: { ...landed, outcome: 'reverted' } }
      : createIgnoredWebhookAction('nothing is undone yet');
  if (task === null) {
    const reverts = merged ? parseReverts([pull.body], repository) : [];
    return reverts.length === 0
      ? parseChangeOfOthers(action, value, outcome)
      : { kind: 'reverts', reverted: reverts, outcome: { ...landed, outcome: 'reverted' } };
  }
  if (outcome) return { kind: 'outcome', task_id: task, outcome };
  if (action === 'closed' || action === 'reopened')
    return {
      kind: 'outcome',
      task_id: task,
      outcome: {
        ...of,
        outcome: action,
        at: (action === 'closed' ? pull.closed_at : null) ?? pull.updated_at,
        commit: null,
      },
    };
  // A push onto a branch of ours, by a collaborator or with a revision.
  return action === 'synchronize'
    ? parseChangeOfOthers(action, value, null)
    : createIgnoredWebhookAction(`${action} of a pull request is of no concern`);
}

/** What GitHub tells, as far as it concerns us. @throws ZodError for an event that is not as GitHub documents it */
export function parseGitHubEvent(headers: WebhookHeaders, value: unknown, label: string): Webhook {
  const { action = '', repository } = Base.parse(value);
  const base = repository?.default_branch ?? null;
  const event = headers['x-github-event'] ?? '';
  const wish = (): WebhookAction => {
    if (event === 'issues' && action === 'labeled') return parseIssueLabel(value, label, base);
    if (event === 'issue_comment' && action === 'created') return parseIssueComment(value);
    if (event === 'pull_request_review' && action === 'submitted') return parseReview(value);
    if (event === 'merge_group') return parseMergeGroup(action, value);
    if (event === 'pull_request') return parsePullRequest(action, value, repository?.clone_url ?? '');
    return createIgnoredWebhookAction(
      `the event ${event.slice(0, 50)} ${action.slice(0, 50)} is of no concern`.replace(/ +/g, ' '),
    );
  };
  return { repository: repository?.clone_url ?? null, action: wish() };
}
