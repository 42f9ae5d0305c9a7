import { Refusal } from '../../contract/refusal.ts';
import { findMostSpecificScope, isSameRepository } from '../../contract/repository/repository-url.ts';
import { TaskSubmission } from '../../contract/submission/schema.ts';
import type { DeliveryOutcome } from '../../contract/task/delivery-outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { type ForgeClient, ForgeError } from '../../control/forge/forge.ts';
import type {
  ForgeCredential,
  ForgeCredentialsSecret,
  ForgeKind,
  ForgeSetting,
} from '../../control/forge/forge-settings.ts';
import { parseGitHubEvent } from '../../control/forge/github-events.ts';
import { parseGitLabEvent } from '../../control/forge/gitlab-events.ts';
import { parseTaskIdInChangeRequestBody, taskIdOfIssue } from '../../control/forge/issue-tasks.ts';
import {
  createEventResult,
  createIgnoredEventResult,
  type ForgeEventResult,
  isSentByGitLab,
  isSignedByGitHub,
  MAX_WEBHOOK_BYTES,
  type Webhook,
  type WebhookAction,
  type WebhookHeaders,
} from '../../control/forge/webhook.ts';
import { recordDeliveryOutcome } from '../../control/task-commands/delivery-outcome.ts';
import { startRetryRound } from '../../control/task-commands/operator-commands.ts';
import type { MergedWorkStore } from '../../store/merged-work.ts';
import type { PullRequestStore } from '../../store/pull-requests.ts';
import { type SubmitContext, submitTask } from '../submit/submit-task.ts';
import { findRevertedTask } from './record-reverts.ts';

export interface ForgeEventContext
  extends Omit<SubmitContext, 'submitter' | 'idempotencyKey' | 'canAccess' | 'objects'> {
  readonly mergedWork: Pick<MergedWorkStore, 'findTask'>;
  readonly pullRequests: Pick<PullRequestStore, 'findTask' | 'countRequest' | 'recordClosed'>;
  readonly settings: readonly ForgeSetting[];
  /** @throws Error that tells nothing of it, when it cannot be read. */
  readonly secret: () => Promise<ForgeCredentialsSecret>;
  /** Speaks with the forge about one repository. @throws ForgeError when there is no token */
  readonly connect: (
    setting: ForgeSetting,
    credential: ForgeCredential,
    repository: string,
  ) => Promise<ForgeClient>;
}

const READ: Readonly<Record<ForgeKind, (headers: WebhookHeaders, value: unknown, label: string) => Webhook>> =
  {
    github: parseGitHubEvent,
    gitlab: parseGitLabEvent,
  };

/** Did one who knows the secret send it? */
const isFrom = (forge: ForgeKind, headers: WebhookHeaders, body: Buffer, secret: string): boolean =>
  forge === 'github' ? isSignedByGitHub(headers, body, secret) : isSentByGitLab(headers, secret);

interface WebhookSecretScope {
  readonly url: string;
  readonly webhookSecret: string;
}

/** Returns the webhook secrets of this forge: of every scope that one of its settings covers, or that covers one. */
async function listWebhookSecrets(
  own: readonly ForgeSetting[],
  { secret }: ForgeEventContext,
): Promise<WebhookSecretScope[]> {
  if (own.length === 0) return [];
  const { credentials } = await secret();
  return credentials.flatMap((each) => {
    const { url, webhook_secret: webhookSecret } = each;
    const isOwn =
      findMostSpecificScope(own, url) !== null ||
      own.some((setting) => findMostSpecificScope([each], setting.url) !== null);
    return isOwn && webhookSecret !== undefined ? [{ url, webhookSecret }] : [];
  });
}

/** Returns the scopes whose secret the event was sent with. Every secret is compared, so that the time does not tell which one it was. */
const verifiedScopes = (
  secrets: readonly WebhookSecretScope[],
  isVerified: (secret: string) => boolean,
): WebhookSecretScope[] =>
  secrets
    .map((each) => ({ each, holds: isVerified(each.webhookSecret) }))
    .filter(({ holds }) => holds)
    .map(({ each }) => each);

function parsed(body: Buffer, headers: WebhookHeaders): unknown {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    throw new Refusal(
      'body_not_json',
      'the webhook sends its events as a form; set its content type to application/json, in its settings at the forge',
      [{ pointer: 'header:content-type', message: 'must be application/json' }],
    );
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal('body_not_json', 'the body is not JSON', [{ pointer: '', message: 'is not JSON' }]);
  }
}

/** Another round for a task that had failed when this was asked for. What is told again later finds a task that failed after it, or runs. */
const retryAsOf =
  (at: string, now: Date) =>
  (task: Task): ReturnType<typeof startRetryRound> | null =>
    task.status === 'failed' && task.ended_at !== null && Date.parse(at) >= secondOf(task.ended_at)
      ? startRetryRound(task, now)
      : null;
/** Forges tell times in whole seconds. */
const secondOf = (iso: string): number => Math.floor(Date.parse(iso) / 1_000) * 1_000;

async function retryTask(
  id: string,
  at: string,
  repository: string,
  context: ForgeEventContext,
): Promise<ForgeEventResult> {
  const task = await context.tasks.get(id);
  if (!task || !isSameRepository(task.repository, repository))
    return createIgnoredEventResult('there is no such task', id);
  const { changed } = await context.tasks.apply(id, retryAsOf(at, context.now));
  return changed
    ? createEventResult('tries again', id)
    : createIgnoredEventResult('the task has not failed, or has failed since', id);
}

/** An issue brings no hidden tests. */
const NO_OBJECTS: SubmitContext['objects'] = {
  putIfAbsent: () => Promise.reject(new Error('an issue has nothing to store')),
};

async function makeTask(
  wish: Extract<WebhookAction, { kind: 'task' }>,
  repository: string,
  context: ForgeEventContext,
): Promise<ForgeEventResult> {
  const id = taskIdOfIssue(repository, wish.issue);
  const there = await context.tasks.get(id);
  if (there) return retryTask(id, wish.at, repository, context);
  const request = TaskSubmission.parse({
    id,
    title: wish.title.trim().slice(0, 500) || `Issue ${wish.issue}`,
    description: wish.description.slice(0, 100_000),
    role: 'auto',
    repository,
    ...(wish.base === null ? {} : { base_ref: wish.base, delivery: 'pull_request' as const }),
  });
  await submitTask(request, {
    ...context,
    objects: NO_OBJECTS,
    submitter: `forge:${wish.by}`.slice(0, 200),
    idempotencyKey: null,
  });
  return createEventResult('made a task', id);
}

async function recordWorkOutcome(
  id: string,
  outcome: DeliveryOutcome,
  repository: string,
  context: ForgeEventContext,
): Promise<ForgeEventResult> {
  const task = await context.tasks.get(id);
  if (!task || !isSameRepository(task.repository, repository))
    return createIgnoredEventResult('there is no such task', id);
  if (task.status !== 'done') return createIgnoredEventResult(`the task is ${task.status}`, id);
  const { changed } = await context.tasks.apply(id, (each) =>
    each.status === 'done' ? recordDeliveryOutcome(each, outcome, context.now) : null,
  );
  return changed ? createEventResult(`was ${outcome.outcome}`, id) : createIgnoredEventResult('is known', id);
}

/** One write for each task whose work is undone. What nobody knows to be merged is told by the history, when that is read. */
async function recordRevertedTasks(
  { reverted, outcome }: Extract<WebhookAction, { kind: 'reverts' }>,
  repository: string,
  context: ForgeEventContext,
): Promise<ForgeEventResult> {
  let heard = createIgnoredEventResult('what it undoes is none of ours');
  for (const each of reverted) {
    const id = await findRevertedTask(
      { task_id: null, reverted_commit: each.commit, reverted_request: each.request },
      repository,
      context.mergedWork,
    );
    if (id === null) continue;
    const now = await recordWorkOutcome(id, outcome, repository, context);
    if (heard.outcome === 'ignored') heard = now;
  }
  return heard;
}

/** Connects to the forge of a repository once, when it is first needed. */
function connectOnce(
  setting: ForgeSetting,
  repository: string,
  { connect, secret }: ForgeEventContext,
): () => Promise<ForgeClient> {
  let connected: Promise<ForgeClient> | undefined;
  const open = async (): Promise<ForgeClient> => {
    const credential = findMostSpecificScope((await secret()).credentials, repository);
    if (!credential) throw new ForgeError('the secret has no credential for the repository', null, false);
    return connect(setting, credential, repository);
  };
  return () => (connected ??= open());
}

async function applyWebhook(
  { action, repository }: Webhook,
  context: ForgeEventContext,
  setting: ForgeSetting | null,
): Promise<ForgeEventResult> {
  if (action.kind === 'nothing') return createIgnoredEventResult(action.why);
  if (repository === null || setting === null) return createIgnoredEventResult('it is of no repository');
  switch (action.kind) {
    case 'pull_request':
    case 'pull_request_closed':
    case 'pull_request_command':
    case 'changes_requested':
    case 'merge_group': {
      // Loaded when it is needed: most events are about other things.
      const { applyPullRequestEvent } = await import('./verify-pull-request.ts');
      const forge = connectOnce(setting, repository, context);
      return applyPullRequestEvent(action, { ...context, setting, repository, forge });
    }
  }
  if (action.kind === 'task') return makeTask(action, repository, context);
  if (action.kind === 'retry') {
    const id = parseTaskIdInChangeRequestBody(action.body) ?? taskIdOfIssue(repository, action.issue);
    return retryTask(id, action.at, repository, context);
  }
  if (action.kind === 'reverts') return recordRevertedTasks(action, repository, context);
  const recorded = await recordWorkOutcome(action.task_id, action.outcome, repository, context);
  const { outcome, request } = action.outcome;
  if (recorded.outcome === 'done' && (outcome === 'merged' || outcome === 'closed') && request !== null) {
    const { stopRevisions } = await import('./revise-pull-request.ts');
    const closed = { reason: `the pull request was ${outcome}`, at: action.outcome.at };
    await stopRevisions(request, closed, { ...context, setting, repository });
  }
  return recorded;
}

/**
 * Takes what a forge tells. One conditional write for each task that it is about, which can be made again: events come twice, late and out of order.
 * @throws Refusal for what was not sent by the forge, is too large, or is not as the forge documents it; `busy`: the forge may answer later
 */
export async function handleForgeEvent(
  forge: ForgeKind,
  headers: WebhookHeaders,
  body: Buffer,
  context: ForgeEventContext,
): Promise<ForgeEventResult> {
  if (body.length > MAX_WEBHOOK_BYTES)
    throw new Refusal('body_too_large', `the body is ${body.length} bytes; ${MAX_WEBHOOK_BYTES} is the most`);
  const own = context.settings.filter((each) => each.forge === forge);
  const secrets = await listWebhookSecrets(own, context);
  const verified = verifiedScopes(secrets, (each) => isFrom(forge, headers, body, each));
  if (verified.length === 0)
    throw new Refusal(
      'bad_signature',
      `the ${forge === 'github' ? 'signature' : 'secret'} of the event is missing or wrong`,
      [
        {
          pointer: `header:${forge === 'github' ? 'x-hub-signature-256' : 'x-gitlab-token'}`,
          message: 'is missing or wrong',
        },
      ],
    );
  const value = parsed(body, headers);
  const of = (label: string): Webhook => {
    try {
      return READ[forge](headers, value, label);
    } catch {
      throw new Refusal('invalid', `the event is not as ${forge} documents it`, [
        { pointer: '', message: `is no event of ${forge} that is known here` },
      ]);
    }
  };
  const { repository } = of('');
  if (repository === null) return applyWebhook(of(''), context, null);
  // The most specific scopes count, whoever sent it: the secret of a wider one is worth nothing for a repository that has its own.
  const setting = findMostSpecificScope(own, repository);
  const scope = findMostSpecificScope(secrets, repository);
  if (!setting || !scope || !verified.includes(scope))
    return createIgnoredEventResult('the secret is not for this repository');
  try {
    return await applyWebhook(of(setting.label), context, setting);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (error.transient) throw new Refusal('busy', error.message);
    // A refusal would not mend it, and forges switch off a webhook whose events are refused.
    return createIgnoredEventResult(error.message);
  }
}
