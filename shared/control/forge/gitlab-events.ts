import * as z from 'zod';
import {
  createIgnoredWebhookAction,
  parseReverts,
  revertedTaskId,
  taskIdOfBranch,
  type Webhook,
  type WebhookAction,
  type WebhookHeaders,
} from './webhook.ts';

const Project = z.object({ git_http_url: z.string(), default_branch: z.string().nullish() });
const Base = z.object({ object_kind: z.string(), project: Project.optional() });
const User = z.object({ username: z.string().max(100) });
/** GitLab writes `2026-11-23 08:00:00 UTC` in some events, and ISO 8601 in others. */
const When = z
  .string()
  .transform((text) => text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/, '$1T$2Z'))
  .pipe(z.iso.datetime({ offset: true }));
const Labels = z.array(z.object({ title: z.string() }));
const Issue = z.object({
  user: User,
  object_attributes: z.object({
    iid: z.number().int().positive(),
    title: z.string(),
    description: z.string().nullish(),
    updated_at: When,
  }),
  changes: z.object({ labels: z.object({ previous: Labels, current: Labels }).optional() }).default({}),
  labels: Labels.default([]),
});
const Merge = z.object({
  user: User,
  object_attributes: z.object({
    iid: z.number().int().positive(),
    action: z.string().default(''),
    source_branch: z.string(),
    source_project_id: z.number(),
    target_project_id: z.number(),
    updated_at: When,
    description: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
    /** Not sent by all versions. */
    squash_commit_sha: z.string().nullish(),
    last_commit: z.object({ message: z.string().nullish() }).nullish(),
  }),
});

function parseIssueLabel(value: unknown, label: string, base: string | null): WebhookAction {
  const { user, object_attributes: issue, changes, labels } = Issue.parse(value);
  const has = (list: z.infer<typeof Labels>): boolean => list.some(({ title }) => title === label);
  const before = changes.labels?.previous ?? [];
  const after = changes.labels?.current ?? labels;
  // To put it on takes a reporter; whoever may only comment starts nothing, and so there is no command in comments here.
  if (has(before) || !has(after) || changes.labels === undefined)
    return createIgnoredWebhookAction('the label was not put on');
  return {
    kind: 'task',
    issue: issue.iid,
    title: issue.title,
    description: issue.description ?? '',
    base,
    by: user.username,
    at: issue.updated_at,
  };
}

const OUTCOME_OF_ACTION = { merge: 'merged', close: 'closed', reopen: 'reopened' } as const;

function parseMergeRequest(value: unknown, repository: string): WebhookAction {
  const { user, object_attributes: request } = Merge.parse(value);
  if (request.source_project_id !== request.target_project_id)
    return createIgnoredWebhookAction('the branch is of a fork');
  const what = OUTCOME_OF_ACTION[request.action as keyof typeof OUTCOME_OF_ACTION];
  if (what === undefined)
    return createIgnoredWebhookAction(`${request.action.slice(0, 50)} of a request is of no concern`);
  const of = { at: request.updated_at, by: user.username, request: request.iid };
  const { merge_commit_sha: merge, squash_commit_sha: squash } = request;
  const landed = {
    ...of,
    commit: merge ?? squash ?? null,
    ...(merge && squash && { squash_commit: squash }),
  };
  const task = taskIdOfBranch(request.source_branch);
  if (task !== null)
    return {
      kind: 'outcome',
      task_id: task,
      outcome: what === 'merged' ? { ...landed, outcome: what } : { ...of, outcome: what, commit: null },
    };
  if (what !== 'merged') return createIgnoredWebhookAction('the request is of no concern');
  // As GitHub names its own; somebody may have carried the habit over.
  const undone = revertedTaskId(request.source_branch);
  const outcome = { ...of, commit: landed.commit, outcome: 'reverted' as const };
  if (undone !== null) return { kind: 'outcome', task_id: undone, outcome };
  // The button writes it into the commit; its author may have written another description.
  const reverts = parseReverts([request.last_commit?.message, request.description], repository);
  return reverts.length === 0
    ? createIgnoredWebhookAction('the request is of no concern')
    : { kind: 'reverts', reverted: reverts, outcome };
}

/** What GitLab tells, as far as it concerns us. @throws ZodError for an event that is not as GitLab documents it */
export function parseGitLabEvent(_headers: WebhookHeaders, value: unknown, label: string): Webhook {
  const { object_kind: kind, project } = Base.parse(value);
  const base = project?.default_branch ?? null;
  const wish = (): WebhookAction => {
    if (kind === 'issue') return parseIssueLabel(value, label, base);
    if (kind === 'merge_request') return parseMergeRequest(value, project?.git_http_url ?? '');
    return createIgnoredWebhookAction(`the event ${kind.slice(0, 50)} is of no concern`);
  };
  return { repository: project?.git_http_url ?? null, action: wish() };
}
