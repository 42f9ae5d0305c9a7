import * as z from 'zod';
import { GitObjectId } from '../../contract/repository/git-ref.ts';
import type { DeliveryOutcome } from '../../contract/task/delivery-outcome.ts';
import {
  createIgnoredWebhookAction,
  parsePullRequestCommand,
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
    oldrev: z.string().nullish(),
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

/** Events of GitLab name no kind of account. Only GitLab gives these names, to bots of projects and groups; people may choose any other. */
export const isGitLabBot = (username: string): boolean => /^(?:project|group)_\d+_bot(?:_|$)/.test(username);

/** The ref of the target project that has the head of a merge request, also of one from a fork. */
export const mergeRequestRef = (iid: number): string => `refs/merge-requests/${iid}/head`;

const Verifiable = z.object({
  user: User,
  labels: Labels.default([]),
  changes: z
    .object({
      labels: z.object({ previous: Labels, current: Labels }).optional(),
      draft: z.object({ previous: z.boolean().nullish(), current: z.boolean().nullish() }).optional(),
      target_branch: z.looseObject({}).optional(),
    })
    .default({}),
  object_attributes: z.object({
    iid: z.number().int().positive(),
    action: z.string().default(''),
    title: z.string(),
    description: z.string().nullish(),
    draft: z.boolean().optional(),
    work_in_progress: z.boolean().optional(),
    state: z.string().default('opened'),
    source_branch: z.string(),
    target_branch: z.string(),
    source_project_id: z.number(),
    target_project_id: z.number(),
    updated_at: When,
    /** The previous head; only with a push. */
    oldrev: GitObjectId.nullish(),
    last_commit: z.object({ id: GitObjectId }),
  }),
});

/** Reads who merged a request, when, and as which commits. */
function readOutcome(value: unknown): Omit<DeliveryOutcome, 'outcome'> {
  const { user, object_attributes: request } = Merge.parse(value);
  const { merge_commit_sha: merge, squash_commit_sha: squash } = request;
  return {
    ...{ at: request.updated_at, by: user.username, request: request.iid },
    commit: merge ?? squash ?? null,
    ...(merge && squash && { squash_commit: squash }),
  };
}

/**
 * What an event about a merge request of others asks for. The author's name is not in the event, only the id: `user` opens it, and for later
 * events stands in for the author where nothing else is known.
 */
function parseChangeOfOthers(value: unknown): WebhookAction {
  const { user, labels, changes, object_attributes: request } = Verifiable.parse(value);
  const { iid, action, oldrev, updated_at: at, last_commit } = request;
  if (action === 'close' || action === 'merge') {
    const merged = action === 'merge' ? { ...readOutcome(value), outcome: 'merged' as const } : null;
    return { kind: 'pull_request_closed', number: iid, head_commit: last_commit.id, at, merged };
  }
  const before = (changes.labels?.previous ?? []).map(({ title }) => title);
  const added = (changes.labels?.current ?? [])
    .map(({ title }) => title)
    .filter((each) => !before.includes(each));
  const isReady = changes.draft?.previous === true && changes.draft.current !== true;
  const isAgain = action === 'reopen' || changes.target_branch !== undefined;
  if (action !== 'open' && !isAgain && !oldrev && !isReady && added.length === 0)
    return createIgnoredWebhookAction(`${action.slice(0, 50)} of a request is of no concern`);
  return {
    kind: 'pull_request',
    change: {
      number: iid,
      title: request.title,
      body: request.description ?? '',
      author: user.username,
      author_kind: isGitLabBot(user.username) ? 'bot' : 'person',
      labels: labels.map(({ title }) => title),
      is_draft: request.draft ?? request.work_in_progress ?? false,
      is_open: request.state === 'opened',
      from_fork: request.source_project_id !== request.target_project_id,
      branch: request.source_branch,
      base: request.target_branch,
      head_commit: last_commit.id,
      head_ref: mergeRequestRef(iid),
    },
    previous_head: oldrev ?? null,
    added_labels: action === 'update' && !oldrev && !isReady && !isAgain ? added : null,
    isAgain,
    at,
  };
}

const NotePlace = z.object({ merge_request: z.object({ iid: z.number().int().positive() }).optional() });
const Note = z.object({
  user: User,
  object_attributes: z.object({ id: z.number().int().positive(), note: z.string(), created_at: When }),
});

function parseNote(value: unknown): WebhookAction {
  const { merge_request: request } = NotePlace.parse(value);
  if (request === undefined) return createIgnoredWebhookAction('the comment is on no merge request');
  const { user, object_attributes: note } = Note.parse(value);
  const command = parsePullRequestCommand(note.note);
  if (command === null) return createIgnoredWebhookAction('the comment asks for nothing');
  return {
    kind: 'pull_request_command',
    command,
    number: request.iid,
    comment: note.id,
    by: user.username,
    at: note.created_at,
  };
}

const OUTCOME_OF_ACTION = { merge: 'merged', close: 'closed', reopen: 'reopened' } as const;

function parseMergeRequest(value: unknown, repository: string): WebhookAction {
  const { user, object_attributes: request } = Merge.parse(value);
  if (request.source_project_id !== request.target_project_id) return parseChangeOfOthers(value);
  const what = OUTCOME_OF_ACTION[request.action as keyof typeof OUTCOME_OF_ACTION];
  if (what === undefined)
    // Of a branch of ours only pushes count: by a collaborator or with a revision.
    return taskIdOfBranch(request.source_branch) === null || request.oldrev
      ? parseChangeOfOthers(value)
      : createIgnoredWebhookAction(`${request.action.slice(0, 50)} of a request is of no concern`);
  const of = { at: request.updated_at, by: user.username, request: request.iid };
  const landed = readOutcome(value);
  const task = taskIdOfBranch(request.source_branch);
  if (task !== null)
    return {
      kind: 'outcome',
      task_id: task,
      outcome: what === 'merged' ? { ...landed, outcome: what } : { ...of, outcome: what, commit: null },
    };
  if (what !== 'merged') return parseChangeOfOthers(value);
  // As GitHub names its own; somebody may have carried the habit over.
  const undone = revertedTaskId(request.source_branch);
  const outcome = { ...of, commit: landed.commit, outcome: 'reverted' as const };
  if (undone !== null) return { kind: 'outcome', task_id: undone, outcome };
  // The button writes it into the commit; its author may have written another description.
  const reverts = parseReverts([request.last_commit?.message, request.description], repository);
  return reverts.length === 0 ? parseChangeOfOthers(value) : { kind: 'reverts', reverted: reverts, outcome };
}

/** What GitLab tells, as far as it concerns us. @throws ZodError for an event that is not as GitLab documents it */
export function parseGitLabEvent(_headers: WebhookHeaders, value: unknown, label: string): Webhook {
  const { object_kind: kind, project } = Base.parse(value);
  const base = project?.default_branch ?? null;
  const wish = (): WebhookAction => {
    if (kind === 'issue') return parseIssueLabel(value, label, base);
    if (kind === 'note') return parseNote(value);
    if (kind === 'merge_request') return parseMergeRequest(value, project?.git_http_url ?? '');
    return createIgnoredWebhookAction(`the event ${kind.slice(0, 50)} is of no concern`);
  };
  return { repository: project?.git_http_url ?? null, action: wish() };
}
