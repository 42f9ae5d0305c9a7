import { Refusal } from '../../contract/refusal.ts';
import { isSameRepository, longestScope } from '../../contract/repository/url.ts';
import { SubmitTask } from '../../contract/submission/schema.ts';
import type { WorkOutcome } from '../../contract/task/outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { gitHubEvent } from '../../control/forge/github-events.ts';
import { gitLabEvent } from '../../control/forge/gitlab-events.ts';
import { taskIdInBody, taskIdOfIssue } from '../../control/forge/issue.ts';
import type { ForgeKind, ForgeSecret, ForgeSetting } from '../../control/forge/schema.ts';
import {
  type Headers,
  MAX_WEBHOOK_BYTES,
  sentByGitLab,
  signedByGitHub,
  type Webhook,
  type Wish,
} from '../../control/forge/webhook.ts';
import { retry } from '../../control/task-commands/operate.ts';
import { recordOutcome } from '../../control/task-commands/outcome.ts';
import type { LandedStore } from '../../store/landed.ts';
import { type SubmitContext, submitTask } from '../submit/submit.ts';
import { undoneTask } from './reverts.ts';

export interface HookContext extends Omit<SubmitContext, 'by' | 'idempotencyKey' | 'serves' | 'objects'> {
  readonly landed: Pick<LandedStore, 'taskOf'>;
  readonly settings: readonly ForgeSetting[];
  /** @throws Error that tells nothing of it, when it cannot be read. */
  readonly secret: () => Promise<ForgeSecret>;
}

/** What came of an event. */
export interface Heard {
  readonly outcome: 'done' | 'ignored';
  readonly task_id: string | null;
  readonly why: string;
}

const ignored = (why: string, task_id: string | null = null): Heard => ({ outcome: 'ignored', task_id, why });
const done = (why: string, task_id: string): Heard => ({ outcome: 'done', task_id, why });

const READ: Readonly<Record<ForgeKind, (headers: Headers, value: unknown, label: string) => Webhook>> = {
  github: gitHubEvent,
  gitlab: gitLabEvent,
};

/** Did one who knows the secret send it? */
const isFrom = (forge: ForgeKind, headers: Headers, body: Buffer, secret: string): boolean =>
  forge === 'github' ? signedByGitHub(headers, body, secret) : sentByGitLab(headers, secret);

/** The settings of this forge whose own secret the event was sent with. Every secret is tried: which one it was, time does not tell. */
async function authentic(
  forge: ForgeKind,
  headers: Headers,
  body: Buffer,
  { settings, secret }: HookContext,
): Promise<ForgeSetting[]> {
  const own = settings.filter((each) => each.forge === forge);
  if (own.length === 0) return [];
  const { credentials } = await secret();
  const verified = own.map((setting) => {
    const known = longestScope(credentials, setting.url)?.webhook_secret;
    return { setting, holds: known !== undefined && isFrom(forge, headers, body, known) };
  });
  return verified.filter(({ holds }) => holds).map(({ setting }) => setting);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal('body_not_json', 'the body is not JSON', [{ pointer: '', message: 'is not JSON' }]);
  }
}

/** Another round for a task that had failed when this was asked for. What is told again later finds a task that failed after it, or runs. */
const retryAsOf =
  (at: string, now: Date) =>
  (task: Task): ReturnType<typeof retry> | null =>
    task.status === 'failed' && task.ended_at !== null && Date.parse(at) >= secondOf(task.ended_at)
      ? retry(task, now)
      : null;
/** Forges tell times in whole seconds. */
const secondOf = (iso: string): number => Math.floor(Date.parse(iso) / 1_000) * 1_000;

async function tryAgain(id: string, at: string, repository: string, context: HookContext): Promise<Heard> {
  const task = await context.tasks.get(id);
  if (!task || !isSameRepository(task.repository, repository)) return ignored('there is no such task', id);
  const { changed } = await context.tasks.apply(id, retryAsOf(at, context.now));
  return changed ? done('tries again', id) : ignored('the task has not failed, or has failed since', id);
}

/** An issue brings no hidden tests. */
const NO_OBJECTS: SubmitContext['objects'] = {
  putOnce: () => Promise.reject(new Error('an issue has nothing to store')),
};

async function makeTask(
  wish: Extract<Wish, { kind: 'task' }>,
  repository: string,
  context: HookContext,
): Promise<Heard> {
  const id = taskIdOfIssue(repository, wish.issue);
  const there = await context.tasks.get(id);
  if (there) return tryAgain(id, wish.at, repository, context);
  const request = SubmitTask.parse({
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
    by: `forge:${wish.by}`.slice(0, 200),
    idempotencyKey: null,
  });
  return done('made a task', id);
}

async function writeDown(
  id: string,
  outcome: WorkOutcome,
  repository: string,
  context: HookContext,
): Promise<Heard> {
  const task = await context.tasks.get(id);
  if (!task || !isSameRepository(task.repository, repository)) return ignored('there is no such task', id);
  if (task.status !== 'done') return ignored(`the task is ${task.status}`, id);
  const { changed } = await context.tasks.apply(id, (each) =>
    each.status === 'done' ? recordOutcome(each, outcome, context.now) : null,
  );
  return changed ? done(`was ${outcome.what}`, id) : ignored('is known', id);
}

/** One write for each task whose work is undone. What nobody knows to be merged is told by the history, when that is read. */
async function takeBack(
  { undone, outcome }: Extract<Wish, { kind: 'reverts' }>,
  repository: string,
  context: HookContext,
): Promise<Heard> {
  let heard = ignored('what it undoes is none of ours');
  for (const each of undone) {
    const id = await undoneTask({ task_id: null, ...each }, repository, context.landed);
    if (id === null) continue;
    const now = await writeDown(id, outcome, repository, context);
    if (heard.outcome === 'ignored') heard = now;
  }
  return heard;
}

async function carryOut({ wish, repository }: Webhook, context: HookContext): Promise<Heard> {
  if (wish.kind === 'nothing') return ignored(wish.why);
  if (repository === null) return ignored('it is of no repository');
  if (wish.kind === 'task') return makeTask(wish, repository, context);
  if (wish.kind === 'retry') {
    const id = taskIdInBody(wish.body) ?? taskIdOfIssue(repository, wish.issue);
    return tryAgain(id, wish.at, repository, context);
  }
  if (wish.kind === 'reverts') return takeBack(wish, repository, context);
  return writeDown(wish.task_id, wish.outcome, repository, context);
}

/**
 * Takes what a forge tells. One conditional write for each task that it is about, which can be made again: events come twice, late and out of order.
 * @throws Refusal for what was not sent by the forge, is too large, or is not as the forge documents it
 */
export async function hearForge(
  forge: ForgeKind,
  headers: Headers,
  body: Buffer,
  context: HookContext,
): Promise<Heard> {
  if (body.length > MAX_WEBHOOK_BYTES)
    throw new Refusal('body_too_large', `the body is ${body.length} bytes; ${MAX_WEBHOOK_BYTES} is the most`);
  const settings = await authentic(forge, headers, body, context);
  if (settings.length === 0)
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
  const value = parsed(body);
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
  if (repository === null) return carryOut(of(''), context);
  const setting = longestScope(settings, repository);
  if (!setting) return ignored('the secret is not for this repository');
  return carryOut(of(setting.label), context);
}
