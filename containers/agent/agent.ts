import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from '../../gates/checkout/error.ts';
import { fetchCommit } from '../../gates/checkout/fetch.ts';
import { handOver } from '../../gates/checkout/hand-over.ts';
import { snapshot } from '../../gates/checkout/patch.ts';
import { plantGit } from '../../gates/checkout/plant.ts';
import type { Store } from '../../gates/checkout/store.ts';
import { materialise } from '../../gates/checkout/tree.ts';
import { type RunResult, run } from '../../gates/process/run.ts';
import { type BoxClient, createBoxClient, RefusedError } from '../../shared/api/box-client.ts';
import type { AgentAssignment, UsageFile } from '../../shared/messages/assignment.ts';
import type { Box } from '../supervisor/box.ts';
import { adapterArgv, agentEnvironment, plainPrompt } from './adapter.ts';
import { failureOf } from './failure.ts';
import { keepLease } from './lease.ts';
import { readUsage } from './usage.ts';

/** Largest transcript in bytes that is kept. */
const TRANSCRIPT_BYTES = 5 * 1_048_576;
/** Larger patches are uploaded, so that the request stays small; smaller ones save a request. */
const INLINE_PATCH_BYTES = 256 * 1024;
const TAIL_CHARACTERS = 2_000;
const SUMMARY_CHARACTERS = 20_000;

interface Places {
  /** Real path of a folder that holds all that the agent works in, and nothing of ours. */
  readonly territory: string;
  readonly checkout: string;
  readonly index: string;
  readonly home: string;
  readonly tmp: string;
  readonly promptFile: string;
  readonly usageFile: string;
}

/** One attempt: the agent works in a fresh checkout of the base commit, and what it leaves there is handed in. */
export async function runAgent(assignment: AgentAssignment, box: Box): Promise<void> {
  const client = createBoxClient(assignment);
  const lease = keepLease(client, assignment.heartbeat_s * 1_000);
  try {
    await attempt(assignment, box, client, AbortSignal.any([lease.lost, box.abort]));
  } catch (error) {
    if (lease.lost.aborted || isOver(error)) console.error(String(error));
    else await reportCheckoutError(client, error);
  } finally {
    lease.stop();
  }
}

/** A report that was refused because the attempt has ended without us: the API knows, and nobody waits for this box. */
const isOver = (error: unknown): boolean => error instanceof RefusedError && error.status === 409;

async function reportCheckoutError(client: BoxClient, error: unknown): Promise<void> {
  if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
  await client.post('fail', { reason: error.message, failure_class: error.failureClass });
}

async function attempt(
  assignment: AgentAssignment,
  box: Box,
  client: BoxClient,
  abort: AbortSignal,
): Promise<void> {
  const commit = assignment.base_commit;
  const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
    url: assignment.repository,
    ref: assignment.base_commit,
    authorization: assignment.read_credential,
    allowFile: box.embedded,
  });
  const runAs = box.users?.[0] ?? null;
  const places = await prepare(assignment, box, store, commit);
  const result = await run(
    { argv: adapterArgv(assignment, places.promptFile) },
    {
      cwd: places.checkout,
      env: agentEnvironment(assignment, places),
      timeoutMs: assignment.adapter.timeout_s * 1_000,
      outputBytes: TRANSCRIPT_BYTES,
      runAs,
      territory: places.territory,
      abort,
    },
  );
  if (abort.aborted) return;
  // What is still running could change what is handed in, or take what comes next.
  if (result.end === 'uncontained') throw new Error(`the agent cannot be ended: ${result.startError}`);
  const claimed = await readUsage(places.usageFile);
  const reported = {
    output_tail: result.output.slice(-TAIL_CHARACTERS),
    ...(claimed.usage ? { usage: claimed.usage } : {}),
  };
  const failure = failureOf(result);
  if (claimed.status === 'blocked' || failure) {
    const blocked =
      claimed.status === 'blocked' ? (claimed.summary ?? 'the agent says that it is blocked') : null;
    await client.post('fail', {
      reason: (blocked ?? failure?.reason ?? '').trim() || 'no reason given',
      failure_class: blocked === null ? (failure?.class ?? 'agent_failed') : 'agent_blocked',
      ...reported,
    });
    return;
  }
  const [{ tree, patch }, transcript] = await Promise.all([
    snapshot(store, {
      base: commit,
      workTree: places.checkout,
      index: places.index,
      dir: join(box.workDir, 'snapshot'),
      runAs,
    }),
    uploadTranscript(client, result),
  ]);
  const work =
    patch.length < INLINE_PATCH_BYTES && isText(patch)
      ? { patch: patch.toString('utf8') }
      : { patch_sha256: await client.upload('patch', patch), patch_bytes: patch.length };
  await client.post('complete', {
    summary: summaryOf(claimed, result),
    ...reported,
    base_commit: assignment.base_commit,
    tree,
    ...(transcript === null ? {} : { transcript_sha256: transcript }),
    ...work,
  });
}

/** Everything that the agent finds: the checkout, and outside of it the prompt, a home and room for temporary files. */
async function prepare(assignment: AgentAssignment, box: Box, store: Store, commit: string): Promise<Places> {
  const at = (name: string): string => join(box.workDir, name);
  const user = box.users?.[0] ?? null;
  await mkdir(at('agent'), { mode: user ? 0o711 : 0o700 });
  const home = at('agent/home');
  const places: Places = {
    territory: await realpath(at('agent')),
    checkout: at('agent/checkout'),
    index: at('index'),
    home: user ? home : (process.env['HOME'] ?? home),
    tmp: at('agent/tmp'),
    promptFile: at('agent/tmp/prompt.md'),
    usageFile: at('agent/tmp/usage.json'),
  };
  await Promise.all([mkdir(home), mkdir(places.tmp)]);
  await Promise.all([
    writeFile(places.promptFile, plainPrompt(assignment)),
    materialise(store, commit, places.checkout, places.index),
  ]);
  await plantGit(store, places.checkout, commit, places.index);
  if (user) await handOver(user, [places.checkout, places.tmp, home]);
  return places;
}

/** A patch in another encoding than UTF-8 would not survive JSON. */
const isText = (patch: Buffer): boolean => Buffer.from(patch.toString('utf8')).equals(patch);

/** The report carries the end of the output; a transcript is worth a request only when there is more than that. */
async function uploadTranscript(client: BoxClient, result: RunResult): Promise<string | null> {
  if (result.output.length <= TAIL_CHARACTERS) return null;
  try {
    return await client.upload('transcript', Buffer.from(result.output));
  } catch (error) {
    // Nice to have: the work itself must not be lost because its log could not be stored.
    console.error(`transcript: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

const summaryOf = (claimed: UsageFile, result: RunResult): string =>
  (
    claimed.summary?.trim() ||
    result.output.trim().slice(-SUMMARY_CHARACTERS) ||
    'the agent said nothing'
  ).trim();
