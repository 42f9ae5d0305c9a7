import { join } from 'node:path';
import { type BoxClient, createBoxClient, RefusedError } from '../../shared/api/box-client.ts';
import { loggedRuns } from '../../shared/contract/evidence/logs/read.ts';
import type { AgentAssignment, UsageFile } from '../../shared/contract/messages/assignment.ts';
import { codeOfThrown } from '../../shared/control/failures/thrown.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import { fetchCommit } from '../../workspace/git/fetch.ts';
import { snapshot } from '../../workspace/git/patch.ts';
import type { Store } from '../../workspace/git/store.ts';
import { applyPatch } from '../../workspace/git/tree.ts';
import type { Box } from '../../workspace/supervisor/box.ts';
import { fetchPatch } from '../../workspace/supervisor/patch.ts';
import { type Failure, type Reading, totalUsage } from './adapters/reading.ts';
import { runAgain, runFirst } from './again.ts';
import { configText } from './base-config.ts';
import { endOf, failureOf } from './failure.ts';
import { handInSession } from './kept-session.ts';
import { keepLease } from './lease.ts';
import { askLeave, untilAnswered } from './leave.ts';
import { type Wrapped, wrap, wrapping } from './middleware/begin.ts';
import { settingsOf } from './middleware/settings.ts';
import { type Prepared, prepare } from './places.ts';
import { progressOf } from './progress.ts';
import { loadRole, within } from './role.ts';
import { endOfTime, type Session } from './session.ts';
import { readUsage } from './usage.ts';
import { criteriaOf, LEAST_MS, letGo, lookAt, type Round } from './verification-gate.ts';

/** Larger patches are uploaded, so that the request stays small; smaller ones save a request. */
const INLINE_PATCH_BYTES = 256 * 1024;
const TAIL_CHARACTERS = 2_000;
const SUMMARY_CHARACTERS = 20_000;

/** One attempt: the agent works in a fresh checkout of the base commit, and what it leaves there is handed in. */
export async function runAgent(assignment: AgentAssignment, box: Box): Promise<void> {
  const client = createBoxClient(assignment);
  let reading: Reading | null = null;
  let wrapped: Wrapped | null = null;
  const lease = keepLease(client, assignment.heartbeat_s * 1_000, () => reading && progressOf(reading));
  try {
    await attempt(assignment, box, client, AbortSignal.any([lease.lost, box.abort]), {
      onStart: (started) => {
        reading = started;
      },
      onWrap: (around) => {
        wrapped = around;
      },
    });
  } catch (error) {
    if (lease.lost.aborted || isOver(error)) console.error(String(error));
    else await reportError(client, error, wrapped);
  } finally {
    await (wrapped as Wrapped | null)?.door?.close();
    lease.stop();
  }
}

/** A report that was refused because the attempt has ended without us: the API knows, and nobody waits for this box. */
const isOver = (error: unknown): boolean => error instanceof RefusedError && error.status === 409;

/** What was thrown around a run counts as the table of failures says; what could not be checked out, as what it says of itself. */
async function reportError(client: BoxClient, error: unknown, wrapped: Wrapped | null): Promise<void> {
  if (wrapped?.around.threw(error))
    return void (await client.post('fail', {
      reason: `what is wrapped around the run has failed: ${error instanceof Error ? error.message : String(error)}`,
      failure_class: codeOfThrown(error),
      middleware: wrapped.around.record(),
    }));
  if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
  await client.post('fail', { reason: error.message, failure_class: error.failureClass });
}

/** Who is told of what there is before the attempt is over. */
interface Told {
  readonly onStart: (reading: Reading) => void;
  readonly onWrap: (wrapped: Wrapped | null) => void;
}

async function attempt(
  given: AgentAssignment,
  box: Box,
  client: BoxClient,
  abort: AbortSignal,
  { onStart, onWrap }: Told,
): Promise<void> {
  const commit = given.base_commit;
  const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
    url: given.repository,
    ref: commit,
    authorization: given.read_credential,
    allowFile: box.embedded,
  });
  const role = await loadRole(given.role, store, commit);
  const assignment = { ...given, adapter: within(given.adapter, role.config.limits) };
  // What the base asks for is read before anything is spent: a mistake in it costs nothing then.
  const config = await configText(store, commit);
  const criteria = await criteriaOf(config, assignment.test_commands);
  const wrapped = await wrap(assignment, await settingsOf(config, assignment.around?.chain));
  onWrap(wrapped);
  const around = wrapped?.around;
  const start = await startOf(given, box, store);
  const prepared = await prepare(assignment, box, role, store, commit, start, wrapping(wrapped));
  const { places, index } = prepared;
  const options = {
    ...{ abort, onStart, limits: role.config.limits, until: endOfTime(assignment) },
    ...(around && { around }),
  };
  const timeLeft = (): number => options.until - performance.now();
  let taken = 0;
  const snapshotOf = () =>
    snapshot(store, {
      base: commit,
      workTree: places.checkout,
      index,
      dir: join(box.workDir, `snapshot-${++taken}`),
      runAs: box.users?.[0] ?? null,
    });
  const roundOf = async (session: Session): Promise<Round> => {
    if (session.asks) return { session, failure: INTERRUPTED };
    // What is still running could change what is handed in, or take what comes next.
    if (session.result.end === 'uncontained')
      throw new Error(`the agent cannot be ended: ${session.result.startError}`);
    const failure = await failedAs(session, prepared);
    return failure || abort.aborted
      ? { session, failure: failure ?? INTERRUPTED }
      : { session, work: await snapshotOf() };
  };
  const again = async (words: string, before: Session): Promise<Session> =>
    runAgain(around ? await around.tell(words) : words, before, assignment, box, prepared, options);
  let waits = false;
  const answered = async (session: Session): Promise<Session> => {
    const end = await untilAnswered(session, {
      path: places.approvalFile,
      ask: (ask, session) =>
        askLeave(client, ask, snapshotOf, () => handInSession(client, assignment, prepared, box, session)),
      again,
    });
    waits = end.asks !== null;
    return end;
  };
  const roundsFrom = async (session: Session): Promise<Round> => {
    let round = await roundOf(await answered(session));
    while (around && !('work' in round) && !abort.aborted && !waits && timeLeft() >= LEAST_MS) {
      const words = await around.goesOn(round.failure);
      if (words === null) break;
      const next = await runAgain(words, round.session, assignment, box, prepared, options);
      round = await roundOf(await answered(next));
    }
    return round;
  };
  // Before there is anything to end: what is begun now would be paid for, and thrown away.
  if (abort.aborted) {
    if (box.abort.aborted) await sayInterrupted(createBoxClient(given, LAST_WORDS_MS), []);
    return;
  }
  const first = await roundsFrom(await runFirst(assignment, box, prepared, options));
  const last =
    criteria === null || !('work' in first)
      ? first
      : await letGo(first, {
          criteria,
          abort,
          timeLeft,
          look: (work) => lookAt(work, criteria, assignment.test_commands, prepared, box, abort),
          again: (message, before) => {
            if (before.reading) before.reading.held++;
            return again(message, before).then(roundsFrom);
          },
        });
  const { session } = last;
  // The task waits for a person, and no box waits with it.
  if (waits) return;
  if (abort.aborted && !box.abort.aborted) return;
  if (box.abort.aborted) return interrupted(createBoxClient(given, LAST_WORDS_MS), session, snapshotOf);
  const claimed = await claimOf(session, places.usageFile);
  await around?.ends('work' in last ? null : last.failure);
  const reported = {
    ...(around && { middleware: around.record() }),
    output_tail: tailOf(session),
    end: endOf(session, 'work' in last ? null : last.failure),
    ...(claimed.usage ? { usage: claimed.usage } : {}),
  };
  if (!('work' in last)) {
    const { failure } = last;
    await client.post('fail', {
      reason: failure.reason.trim().slice(0, SUMMARY_CHARACTERS) || 'no reason given',
      ...retryAfter(failure),
      failure_class: failure.class,
      ...reported,
    });
    return;
  }
  const { tree, patch } = last.work;
  const work =
    patch.length < INLINE_PATCH_BYTES && isText(patch)
      ? { patch: patch.toString('utf8') }
      : { patch_sha256: await client.upload('patch', patch), patch_bytes: patch.length };
  const transcript = await uploadTranscript(client, session);
  const logged = loggedRuns(session.result.output);
  await client.post('complete', {
    summary: summaryOf(claimed, session),
    ...(logged.length > 0 && { logged }),
    ...reported,
    base_commit: assignment.base_commit,
    tree,
    ...(last.gate && { verification_gate: last.gate }),
    ...(transcript === null ? {} : { transcript_sha256: transcript }),
    ...work,
  });
}

/** Told to end: what is done about it depends on by whom, and not on this. */
const INTERRUPTED: Failure = { class: 'interrupted', reason: 'told to end' };

/** Why a run is no work; null: it is. Who says that it is blocked is believed. */
async function failedAs(session: Session, { places, invocation }: Prepared): Promise<Failure | null> {
  const { status, summary } = await claimOf(session, places.usageFile);
  if (status === 'blocked')
    return { class: 'agent_blocked', reason: summary ?? 'the agent says that it is blocked' };
  return failureOf(session, invocation.argv[0] ?? '');
}

/** What the agent starts from: the base, or what it had made of it when it asked for leave. */
async function startOf({ base_commit, parked }: AgentAssignment, box: Box, store: Store): Promise<string> {
  if (!parked) return base_commit;
  const patch = await fetchPatch(parked);
  const tree = await applyPatch(store, base_commit, patch, join(box.workDir, 'parked.index'));
  if (tree !== parked.tree)
    throw new CheckoutError('patch_does_not_apply', `what was parked is tree ${parked.tree}, not ${tree}`);
  return tree;
}

/** For so long the last words are tried, in milliseconds; the machine is gone soon after. */
const LAST_WORDS_MS = 30_000;

/**
 * The container is being taken away. What was done so far goes up first, for whoever wants to look; then the API is told that nobody is
 * to blame, and starts the attempt again.
 */
async function interrupted(
  client: BoxClient,
  session: Session,
  snapshotOf: () => Promise<{ readonly patch: Buffer }>,
): Promise<void> {
  const left: string[] = [];
  try {
    const { patch } = await snapshotOf();
    if (patch.length > 0) left.push(`patch ${await client.upload('patch', patch)}`);
    const transcript = await uploadTranscript(client, session);
    if (transcript !== null) left.push(`transcript ${transcript}`);
  } catch (error) {
    console.error(`what was done so far: ${error instanceof Error ? error.message : String(error)}`);
  }
  await sayInterrupted(client, left);
}

async function sayInterrupted(client: BoxClient, left: readonly string[]): Promise<void> {
  const reason = `the container was told to end${left.length > 0 ? `; what there was: ${left.join(', ')}` : ''}`;
  await client.post('fail', { reason, failure_class: 'interrupted' });
}

/** A patch in another encoding than UTF-8 would not survive JSON. */
const isText = (patch: Buffer): boolean => Buffer.from(patch.toString('utf8')).equals(patch);

/** The report carries the end of what was said; a transcript is worth a request only when there is more than that. */
async function uploadTranscript(client: BoxClient, { result, reading }: Session): Promise<string | null> {
  if (result.output === '' || (reading === null && result.output.length <= TAIL_CHARACTERS)) return null;
  try {
    return await client.upload('transcript', Buffer.from(result.output));
  } catch (error) {
    // Nice to have: the work itself must not be lost because its log could not be stored.
    console.error(`transcript: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** What the agent says of its work: in its events, else in the file that a command may leave. */
async function claimOf({ reading }: Session, usageFile: string): Promise<UsageFile> {
  if (reading === null) return readUsage(usageFile);
  const usage = totalUsage(reading);
  const summary = reading.summary ?? reading.message;
  return {
    ...(usage ? { usage } : {}),
    ...(reading.status ? { status: reading.status } : {}),
    ...(summary === null ? {} : { summary: summary.slice(0, SUMMARY_CHARACTERS) }),
  };
}

/** The last of what was said: of a CLI its words, not its events. */
const tailOf = ({ result, reading }: Session): string =>
  (reading === null ? result.output : (reading.message ?? reading.failure?.reason ?? '')).slice(
    -TAIL_CHARACTERS,
  );

/** What the provider asked for, in whole seconds, as far as anybody would wait. */
const retryAfter = (failure: Failure): { retry_after_s?: number } =>
  failure.retryAfterSeconds === undefined
    ? {}
    : { retry_after_s: Math.min(86_400, Math.max(1, Math.ceil(failure.retryAfterSeconds))) };

const summaryOf = (claimed: UsageFile, { result, reading }: Session): string =>
  (
    claimed.summary?.trim() ||
    (reading === null ? result.output.trim().slice(-SUMMARY_CHARACTERS) : '') ||
    'the agent said nothing'
  ).trim();
