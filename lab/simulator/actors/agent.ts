import { sha256 } from '../../../shared/lib/sha256.ts';
import type { Ask, WorkPlan } from '../plan.ts';
import { type Patch, patchOf, WEAK_BASE, writePatch } from '../remote.ts';
import type { Simulation } from '../simulation.ts';
import { call, fetched, Refused } from './client.ts';
import { sayAll } from './words.ts';

/** What an agent knows of its attempt, in a box of ours or outside. */
export interface Job {
  readonly task: string;
  readonly attempt: number;
  readonly token: string;
  readonly base: string;
  readonly heartbeatSeconds: number;
  /** It keeps its work while it waits; a box of ours ends. */
  readonly outside?: boolean;
}

/** Beats until the API says that the attempt is over, or `isOver`. */
async function keepLease(
  of: Simulation,
  job: Job,
  state: { isOver: boolean; isLost: boolean },
): Promise<void> {
  while (!state.isOver) {
    await of.world.clock.sleep(job.heartbeatSeconds * 1_000);
    if (state.isOver) return;
    const beat = { id: job.task, token: job.token, body: {} };
    const answer = await call(of, 'heartbeat', beat, 1).catch((error: unknown) => {
      if (error instanceof Refused) state.isLost = true;
      return null;
    });
    const lease = answer?.body['lease_until'];
    if (typeof lease === 'number') of.knowledge.leases.set(`${job.task}/${job.attempt}`, lease);
    if (state.isLost) return;
  }
}

const SAYS = {
  completed: 'it works',
  unsure: 'I am not sure that this works',
  failed: 'I could not do it',
  nothing: '',
} as const;

/** Works for as long as the plan says, and reports. */
export async function work(of: Simulation, job: Job, plan: WorkPlan): Promise<void> {
  const state = { isOver: false, isLost: false };
  if (plan.heartbeats) void keepLease(of, job, state).catch(() => {});
  if (plan.asks !== null && !(await mayGoOn(of, job, plan.asks, plan, state))) return;
  await of.world.clock.sleep(plan.seconds * 1_000);
  state.isOver = true;
  if (state.isLost || plan.says === 'nothing') return;
  const usage = { input_tokens: plan.tokens, output_tokens: Math.floor(plan.tokens / 4) };
  if (plan.says === 'failed') {
    await call(of, 'fail', { id: job.task, token: job.token, body: { reason: SAYS.failed, usage } });
    return;
  }
  const base = plan.trick === 'weak_base' ? WEAK_BASE : job.base;
  const patch = made(of, job, 'first', base, plan.quality);
  await handIn(of, job, plan, patch, usage);
}

/** Asks for leave half way through. False: this box has nothing more to do. Whoever works outside waits for the answer where it is. */
async function mayGoOn(
  of: Simulation,
  job: Job,
  action: Ask,
  plan: WorkPlan,
  state: { isOver: boolean; isLost: boolean },
): Promise<boolean> {
  const name = `${job.task}/${job.attempt}`;
  // A box that goes on after an answer does not ask for the same again.
  if (of.knowledge.asked.has(name)) return true;
  await of.world.clock.sleep(plan.seconds * 500);
  if (state.isLost) return false;
  const text = writePatch(made(of, job, 'so far', job.base, plan.quality));
  const uploaded = plan.uploads && text !== '' ? await upload(of, job, text) : null;
  const tree = patchOf(job.task, `${job.attempt} so far`, job.base, plan.quality).tree;
  const work = { tree, patch_sha256: sha256(text), patch_bytes: Buffer.byteLength(text) };
  of.world.tell(() => `the agent of ${name} asks leave for ${action}`);
  const request = {
    id: job.task,
    token: job.token,
    body: { action, title: `${action} of ${job.attempt}`, ...(uploaded && !job.outside && { work }) },
  };
  const { body } = await call(of, 'park', request);
  of.knowledge.asked.add(name);
  sayAll(of, plan.leave, job.task);
  if (body['status'] !== 'auth_required') return true;
  if (!job.outside) {
    state.isOver = true;
    return false;
  }
  for (;;) {
    await of.world.clock.sleep(job.heartbeatSeconds * 1_000);
    if (state.isLost) return false;
    const beat = await call(of, 'heartbeat', { id: job.task, token: job.token, body: {} }, 1).catch(
      (error: unknown) => {
        if (error instanceof Refused) state.isLost = true;
        return null;
      },
    );
    if (beat && beat.body['status'] !== 'auth_required') return true;
  }
}

function made(of: Simulation, job: Job, name: string, base: string, quality: WorkPlan['quality']): Patch {
  const patch = patchOf(job.task, `${job.attempt} ${name}`, base, quality);
  of.knowledge.qualities.set(patch.tree, patch.quality);
  return patch;
}

async function handIn(of: Simulation, job: Job, plan: WorkPlan, patch: Patch, usage: object): Promise<void> {
  const text = writePatch(patch);
  const { trick } = plan;
  const tokens = of.knowledge.agentTokens.get(job.task) ?? [];
  const token = trick === 'old_token' ? (tokens.find((each) => each !== job.token) ?? job.token) : job.token;
  const claimed = trick === 'other_tree' ? made(of, job, 'claimed', patch.base, 'good').tree : patch.tree;
  const place = plan.uploads && text !== '' ? await upload(of, job, text) : null;
  const body = {
    summary: SAYS[plan.says === 'unsure' ? 'unsure' : 'completed'],
    usage,
    base_commit: patch.base,
    tree: claimed,
    ...(place ? { patch_sha256: sha256(text), patch_bytes: Buffer.byteLength(text) } : { patch: text }),
  };
  of.world.tell(
    () =>
      `the agent of ${job.task}/${job.attempt} hands in ${patch.quality} work on ${patch.base === WEAK_BASE ? 'a weak base' : 'the base'}${trick === 'none' ? '' : ` (${trick})`}`,
  );
  of.knowledge.handIn(job.task, claimed, token);
  await call(of, 'complete', { id: job.task, token, body });
  if (trick !== 'old_token') of.knowledge.reported.add(`${job.task}/${job.attempt}`);
  if (trick === 'second_work') await again(of, job, patch.base, usage, place);
}

interface Place {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Asks for leave to upload the patch, and puts it there. Null when that did not work. */
export async function upload(
  of: Simulation,
  job: Pick<Job, 'task' | 'token'>,
  text: string,
  kind: 'patch' | 'merged' = 'patch',
): Promise<Place | null> {
  const body = { kind, sha256: sha256(text), bytes: Buffer.byteLength(text) };
  const answer = await call(of, 'upload', { id: job.task, token: job.token, body }).catch(() => null);
  if (!answer) return null;
  const place = answer.body as unknown as Place;
  const put = await fetched(of, 'PUT', place.url, text, place.headers);
  // 412: it is there already, from an earlier try.
  return put.status < 300 || put.status === 412 ? place : null;
}

/** A bad patch, after the work was accepted. Whatever the API says to that, it must not count. */
async function again(
  of: Simulation,
  job: Job,
  base: string,
  usage: object,
  place: Place | null,
): Promise<void> {
  const bad = made(of, job, 'second', base, 'bad');
  const text = writePatch(bad);
  const { task: id, token } = job;
  if (place) await fetched(of, 'PUT', place.url, text, place.headers).catch(() => {});
  await upload(of, job, text).catch(() => {});
  of.knowledge.handIn(id, bad.tree, token);
  await call(of, 'complete', {
    id,
    token,
    body: { summary: 'better', usage, base_commit: base, tree: bad.tree, patch: text },
  }).catch(() => {});
}
