import { sha256 } from '../../../shared/lib/sha256.ts';
import { createPatch, type SimulatedPatch, serializePatch, WEAK_BASE } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
import type { ApprovalAction, WorkPlan } from '../simulation-plan.ts';
import { ApiRefusedError, callRoute, fetchPresigned } from './api-client.ts';
import { scheduleDecisions } from './decisions.ts';

/** What an agent knows of its attempt, in a box of ours or outside. */
export interface AgentJob {
  readonly task: string;
  readonly attempt: number;
  readonly token: string;
  readonly base: string;
  readonly heartbeatSeconds: number;
  /** It keeps its work while it waits; a box of ours ends. */
  readonly isExternal?: boolean;
}

/** Beats until the API says that the attempt is over, or `isOver`. */
async function keepLease(
  of: Simulation,
  job: AgentJob,
  state: { isOver: boolean; isLost: boolean },
): Promise<void> {
  while (!state.isOver) {
    await of.world.clock.sleep(job.heartbeatSeconds * 1_000);
    if (state.isOver) return;
    const beat = { id: job.task, token: job.token, body: {} };
    const answer = await callRoute(of, 'heartbeat', beat, 1).catch((error: unknown) => {
      if (error instanceof ApiRefusedError) state.isLost = true;
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
export async function performJob(of: Simulation, job: AgentJob, plan: WorkPlan): Promise<void> {
  const state = { isOver: false, isLost: false };
  if (plan.heartbeats) void keepLease(of, job, state).catch(() => {});
  if (plan.approvalRequest !== null && !(await mayGoOn(of, job, plan.approvalRequest, plan, state))) return;
  await of.world.clock.sleep(plan.seconds * 1_000);
  state.isOver = true;
  if (state.isLost || plan.reportedStatus === 'nothing') return;
  const usage = { input_tokens: plan.tokens, output_tokens: Math.floor(plan.tokens / 4) };
  if (plan.reportedStatus === 'failed') {
    await callRoute(of, 'fail', { id: job.task, token: job.token, body: { reason: SAYS.failed, usage } });
    return;
  }
  const base = plan.attack === 'weak_base' ? WEAK_BASE : job.base;
  const patch = made(of, job, 'first', base, plan.quality);
  await handIn(of, job, plan, patch, usage);
}

/** Asks for leave half way through. False: this box has nothing more to do. Whoever works outside waits for the answer where it is. */
async function mayGoOn(
  of: Simulation,
  job: AgentJob,
  action: ApprovalAction,
  plan: WorkPlan,
  state: { isOver: boolean; isLost: boolean },
): Promise<boolean> {
  const name = `${job.task}/${job.attempt}`;
  // A box that goes on after an answer does not ask for the same again.
  if (of.knowledge.approvalRequests.has(name)) return true;
  await of.world.clock.sleep(plan.seconds * 500);
  if (state.isLost) return false;
  const text = serializePatch(made(of, job, 'so far', job.base, plan.quality));
  const uploaded = plan.uploads && text !== '' ? await uploadPatch(of, job, text) : null;
  const tree = createPatch(job.task, `${job.attempt} so far`, job.base, plan.quality).tree;
  const work = { tree, patch_sha256: sha256(text), patch_bytes: Buffer.byteLength(text) };
  of.world.logEvent(() => `the agent of ${name} asks leave for ${action}`);
  const request = {
    id: job.task,
    token: job.token,
    body: {
      action,
      title: `${action} of ${job.attempt}`,
      ...(uploaded && !job.isExternal && { parked_work: work }),
    },
  };
  const { body } = await callRoute(of, 'requestApproval', request);
  of.knowledge.approvalRequests.add(name);
  scheduleDecisions(of, plan.approvalDecisions, job.task);
  if (body['status'] !== 'auth_required') return true;
  if (!job.isExternal) {
    state.isOver = true;
    return false;
  }
  for (;;) {
    await of.world.clock.sleep(job.heartbeatSeconds * 1_000);
    if (state.isLost) return false;
    const beat = await callRoute(of, 'heartbeat', { id: job.task, token: job.token, body: {} }, 1).catch(
      (error: unknown) => {
        if (error instanceof ApiRefusedError) state.isLost = true;
        return null;
      },
    );
    if (beat && beat.body['status'] !== 'auth_required') return true;
  }
}

function made(
  of: Simulation,
  job: AgentJob,
  name: string,
  base: string,
  quality: WorkPlan['quality'],
): SimulatedPatch {
  const patch = createPatch(job.task, `${job.attempt} ${name}`, base, quality);
  of.knowledge.qualities.set(patch.tree, patch.quality);
  return patch;
}

async function handIn(
  of: Simulation,
  job: AgentJob,
  plan: WorkPlan,
  patch: SimulatedPatch,
  usage: object,
): Promise<void> {
  const text = serializePatch(patch);
  const { attack } = plan;
  const tokens = of.knowledge.agentTokens.get(job.task) ?? [];
  const token = attack === 'old_token' ? (tokens.find((each) => each !== job.token) ?? job.token) : job.token;
  const claimed = attack === 'other_tree' ? made(of, job, 'claimed', patch.base, 'good').tree : patch.tree;
  const place = plan.uploads && text !== '' ? await uploadPatch(of, job, text) : null;
  const body = {
    summary: SAYS[plan.reportedStatus === 'unsure' ? 'unsure' : 'completed'],
    usage,
    base_commit: patch.base,
    tree: claimed,
    ...(place ? { patch_sha256: sha256(text), patch_bytes: Buffer.byteLength(text) } : { patch: text }),
  };
  of.world.logEvent(
    () =>
      `the agent of ${job.task}/${job.attempt} hands in ${patch.quality} work on ${patch.base === WEAK_BASE ? 'a weak base' : 'the base'}${attack === 'none' ? '' : ` (${attack})`}`,
  );
  of.knowledge.handIn(job.task, claimed, token);
  await callRoute(of, 'complete', { id: job.task, token, body });
  if (attack !== 'old_token') of.knowledge.acceptedReports.add(`${job.task}/${job.attempt}`);
  if (attack === 'second_work') await again(of, job, patch.base, usage, place);
}

interface Place {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Asks for leave to upload the patch, and puts it there. Null when that did not work. */
export async function uploadPatch(
  of: Simulation,
  job: Pick<AgentJob, 'task' | 'token'>,
  text: string,
  kind: 'patch' | 'merged' = 'patch',
): Promise<Place | null> {
  const body = { kind, sha256: sha256(text), bytes: Buffer.byteLength(text) };
  const answer = await callRoute(of, 'upload', { id: job.task, token: job.token, body }).catch(() => null);
  if (!answer) return null;
  const place = answer.body as unknown as Place;
  const put = await fetchPresigned(of, 'PUT', place.url, text, place.headers);
  // 412: it is there already, from an earlier try.
  return put.status < 300 || put.status === 412 ? place : null;
}

/** A bad patch, after the work was accepted. Whatever the API says to that, it must not count. */
async function again(
  of: Simulation,
  job: AgentJob,
  base: string,
  usage: object,
  place: Place | null,
): Promise<void> {
  const bad = made(of, job, 'second', base, 'bad');
  const text = serializePatch(bad);
  const { task: id, token } = job;
  if (place) await fetchPresigned(of, 'PUT', place.url, text, place.headers).catch(() => {});
  await uploadPatch(of, job, text).catch(() => {});
  of.knowledge.handIn(id, bad.tree, token);
  await callRoute(of, 'complete', {
    id,
    token,
    body: { summary: 'better', usage, base_commit: base, tree: bad.tree, patch: text },
  }).catch(() => {});
}
