import * as z from 'zod';
import {
  createIgnoredWebhookAction,
  isRetryCommand,
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
const Commented = z.object({
  issue: Issue,
  comment: z.object({
    body: z.string(),
    created_at: When,
    author_association: z.string(),
    user: Login,
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
  if (!isRetryCommand(comment.body)) return createIgnoredWebhookAction('the comment asks for nothing');
  return {
    kind: 'retry',
    issue: issue.number,
    body: issue.pull_request ? (issue.body ?? '') : '',
    by: comment.user.login,
    at: comment.created_at,
  };
}

function parsePullRequest(action: string, value: unknown, repository: string): WebhookAction {
  const { pull_request: pull, sender } = Pulled.parse(value);
  // Anybody may call a branch of a fork as ours are called.
  if (pull.head.repo?.full_name !== pull.base.repo.full_name)
    return createIgnoredWebhookAction('the branch is of a fork');
  const merged = action === 'closed' && pull.merged === true;
  const task = taskIdOfBranch(pull.head.ref);
  const undone = revertedTaskId(pull.head.ref);
  const of = { request: pull.number, by: pull.merged_by?.login ?? sender.login };
  const landed = { ...of, at: pull.merged_at ?? pull.updated_at, commit: pull.merge_commit_sha ?? null };
  if (undone !== null)
    return merged
      ? { kind: 'outcome', task_id: undone, outcome: { ...landed, outcome: 'reverted' } }
      : createIgnoredWebhookAction('nothing is undone yet');
  if (task === null) {
    const reverts = merged ? parseReverts([pull.body], repository) : [];
    return reverts.length === 0
      ? createIgnoredWebhookAction('the branch is none of ours')
      : { kind: 'reverts', reverted: reverts, outcome: { ...landed, outcome: 'reverted' } };
  }
  if (merged) return { kind: 'outcome', task_id: task, outcome: { ...landed, outcome: 'merged' } };
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
  return createIgnoredWebhookAction(`${action} of a pull request is of no concern`);
}

/** What GitHub tells, as far as it concerns us. @throws ZodError for an event that is not as GitHub documents it */
export function parseGitHubEvent(headers: WebhookHeaders, value: unknown, label: string): Webhook {
  const { action = '', repository } = Base.parse(value);
  const base = repository?.default_branch ?? null;
  const event = headers['x-github-event'] ?? '';
  const wish = (): WebhookAction => {
    if (event === 'issues' && action === 'labeled') return parseIssueLabel(value, label, base);
    if (event === 'issue_comment' && action === 'created') return parseIssueComment(value);
    if (event === 'pull_request') return parsePullRequest(action, value, repository?.clone_url ?? '');
    return createIgnoredWebhookAction(
      `the event ${event.slice(0, 50)} ${action.slice(0, 50)} is of no concern`.replace(/ +/g, ' '),
    );
  };
  return { repository: repository?.clone_url ?? null, action: wish() };
}
