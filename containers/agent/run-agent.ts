import { join } from 'node:path';
import {
  ApiRefusalError,
  type ContainerClient,
  createContainerClient,
} from '../../shared/api/container-client.ts';
import { parseTestLog } from '../../shared/contract/evidence/logs/parse-test-log.ts';
import type { AgentAssignment, CommandUsageFile } from '../../shared/contract/messages/assignment.ts';
import { failureCodeOfError } from '../../shared/control/failures/thrown-errors.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { applyPatch } from '../../workspace/git/checkout-tree.ts';
import { fetchCommit } from '../../workspace/git/fetch-commits.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { takeWorkTreeSnapshot } from '../../workspace/git/work-tree-snapshot.ts';
import type { ContainerContext } from '../../workspace/supervisor/container.ts';
import { downloadPatch } from '../../workspace/supervisor/verified-download.ts';
import { type AgentFailure, type AgentRunState, totalUsage } from './adapters/run-state.ts';
import { type AgentSession, sessionDeadline } from './agent-session.ts';
import { readBaseConfig } from './base-config.ts';
import {
  checkAgentWork,
  enforceVerificationGate,
  loadVerificationCriteria,
  MIN_RUN_MS,
  type RunOutcome,
} from './enforce-verification-gate.ts';
import { keepLease } from './lease.ts';
import { limitAdapter, loadRole } from './load-role.ts';
import { createMiddleware, type MiddlewareRuntime, promptHooksOf } from './middleware/create-middleware.ts';
import { loadMiddlewareSettings } from './middleware/middleware-settings.ts';
import { describeProgress } from './progress.ts';
import { postApprovalRequest, runUntilAnswered } from './request-approval.ts';
import { resumeSession, startOrResumeSession } from './resume.ts';
import { sessionFailure, toAgentEnd } from './session-failure.ts';
import { uploadSession } from './session-record.ts';
import { readUsageFile } from './usage-file.ts';
import { type PreparedWorkspace, prepareWorkspace } from './workspace-layout.ts';

/** Larger patches are uploaded, so that the request stays small; smaller ones save a request. */
const INLINE_PATCH_BYTES = 256 * 1024;
const TAIL_CHARACTERS = 2_000;
const SUMMARY_CHARACTERS = 20_000;

/** One attempt: the agent works in a fresh checkout of the base commit, and what it leaves there is handed in. */
export async function runAgent(assignment: AgentAssignment, box: ContainerContext): Promise<void> {
  const client = createContainerClient(assignment);
  let reading: AgentRunState | null = null;
  let wrapped: MiddlewareRuntime | null = null;
  const lease = keepLease(client, assignment.heartbeat_s * 1_000, () => reading && describeProgress(reading));
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
    await (wrapped as MiddlewareRuntime | null)?.hookServer?.close();
    lease.stop();
  }
}

/** A report that was refused because the attempt has ended without us: the API knows, and nobody waits for this box. */
const isOver = (error: unknown): boolean => error instanceof ApiRefusalError && error.status === 409;

/** What was thrown around a run counts as the table of failures says; what could not be checked out, as what it says of itself. */
async function reportError(
  client: ContainerClient,
  error: unknown,
  wrapped: MiddlewareRuntime | null,
): Promise<void> {
  if (wrapped?.middleware.isHookError(error))
    return void (await client.post('fail', {
      reason: `what is wrapped around the run has failed: ${error instanceof Error ? error.message : String(error)}`,
      failure_class: failureCodeOfError(error),
      middleware: wrapped.middleware.toRecord(),
    }));
  if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
  await client.post('fail', { reason: error.message, failure_class: error.failureClass });
}

/** Who is told of what there is before the attempt is over. */
interface AttemptListeners {
  readonly onStart: (reading: AgentRunState) => void;
  readonly onWrap: (wrapped: MiddlewareRuntime | null) => void;
}

async function attempt(
  given: AgentAssignment,
  box: ContainerContext,
  client: ContainerClient,
  abort: AbortSignal,
  { onStart, onWrap }: AttemptListeners,
): Promise<void> {
  const commit = given.base_commit;
  const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
    url: given.repository,
    ref: commit,
    authorization: given.read_credential,
    allowFile: box.embedded,
  });
  const role = await loadRole(given.role, store, commit);
  const assignment = { ...given, adapter: limitAdapter(given.adapter, role.config.limits) };
  // What the base asks for is read before anything is spent: a mistake in it costs nothing then.
  const config = await readBaseConfig(store, commit);
  const criteria = await loadVerificationCriteria(config, assignment.test_commands);
  const wrapped = await createMiddleware(
    assignment,
    await loadMiddlewareSettings(config, assignment.around?.chain),
  );
  onWrap(wrapped);
  const around = wrapped?.middleware;
  const start = await startTree(given, box, store);
  const prepared = await prepareWorkspace(
    assignment,
    box,
    role,
    store,
    commit,
    start,
    promptHooksOf(wrapped),
  );
  const { layout, gitIndex } = prepared;
  const options = {
    ...{ abort, onStart, limits: role.config.limits, deadline: sessionDeadline(assignment) },
    ...(around && { middleware: around }),
  };
  const timeLeft = (): number => options.deadline - performance.now();
  let taken = 0;
  const snapshotOf = () =>
    takeWorkTreeSnapshot(store, {
      base: commit,
      workTree: layout.checkout,
      index: gitIndex,
      scratchFolder: join(box.workDir, `snapshot-${++taken}`),
      runAs: box.users?.[0] ?? null,
    });
  const roundOf = async (session: AgentSession): Promise<RunOutcome> => {
    if (session.approvalRequest) return { session, failure: INTERRUPTED };
    // What is still running could change what is handed in, or take what comes next.
    if (session.result.end === 'uncontained')
      throw new Error(`the agent cannot be ended: ${session.result.startError}`);
    const failure = await runFailure(session, prepared);
    return failure || abort.aborted
      ? { session, failure: failure ?? INTERRUPTED }
      : { session, work: await snapshotOf() };
  };
  const again = async (words: string, before: AgentSession): Promise<AgentSession> =>
    resumeSession(
      around ? await around.beforeModel(words) : words,
      before,
      assignment,
      box,
      prepared,
      options,
    );
  let waits = false;
  const answered = async (session: AgentSession): Promise<AgentSession> => {
    const end = await runUntilAnswered(session, {
      path: layout.approvalFile,
      ask: (ask, session) =>
        postApprovalRequest(client, ask, snapshotOf, () =>
          uploadSession(client, assignment, prepared, box, session),
        ),
      again,
    });
    waits = end.approvalRequest !== null;
    return end;
  };
  const roundsFrom = async (session: AgentSession): Promise<RunOutcome> => {
    let round = await roundOf(await answered(session));
    while (around && !('work' in round) && !abort.aborted && !waits && timeLeft() >= MIN_RUN_MS) {
      const words = await around.continuationMessage(round.failure);
      if (words === null) break;
      const next = await resumeSession(words, round.session, assignment, box, prepared, options);
      round = await roundOf(await answered(next));
    }
    return round;
  };
  // Before there is anything to end: what is begun now would be paid for, and thrown away.
  if (abort.aborted) {
    if (box.abort.aborted) await postInterruption(createContainerClient(given, LAST_WORDS_MS), []);
    return;
  }
  const first = await roundsFrom(await startOrResumeSession(assignment, box, prepared, options));
  const last =
    criteria === null || !('work' in first)
      ? first
      : await enforceVerificationGate(first, {
          criteria,
          abort,
          timeLeft,
          checkWork: (work) => checkAgentWork(work, criteria, assignment.test_commands, prepared, box, abort),
          resumeAgent: (message, before) => {
            if (before.runState) before.runState.holdBacks++;
            return again(message, before).then(roundsFrom);
          },
        });
  const { session } = last;
  // The task waits for a person, and no box waits with it.
  if (waits) return;
  if (abort.aborted && !box.abort.aborted) return;
  if (box.abort.aborted)
    return reportInterruption(createContainerClient(given, LAST_WORDS_MS), session, snapshotOf);
  const claimed = await agentClaims(session, layout.usageFile);
  await around?.afterAgent('work' in last ? null : last.failure);
  const reported = {
    ...(around && { middleware: around.toRecord() }),
    output_tail: tailOf(session),
    end: toAgentEnd(session, 'work' in last ? null : last.failure),
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
  const logged = parseTestLog(session.result.output);
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
const INTERRUPTED: AgentFailure = { class: 'interrupted', reason: 'told to end' };

/** Why a run is no work; null: it is. Who says that it is blocked is believed. */
async function runFailure(
  session: AgentSession,
  { layout, invocation }: PreparedWorkspace,
): Promise<AgentFailure | null> {
  const { status, summary } = await agentClaims(session, layout.usageFile);
  if (status === 'blocked')
    return { class: 'agent_blocked', reason: summary ?? 'the agent says that it is blocked' };
  return sessionFailure(session, invocation.argv[0] ?? '');
}

/** What the agent starts from: the base, or what it had made of it when it asked for leave. */
async function startTree(
  { base_commit, parked }: AgentAssignment,
  box: ContainerContext,
  store: GitStore,
): Promise<string> {
  if (!parked) return base_commit;
  const patch = await downloadPatch(parked);
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
async function reportInterruption(
  client: ContainerClient,
  session: AgentSession,
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
  await postInterruption(client, left);
}

async function postInterruption(client: ContainerClient, left: readonly string[]): Promise<void> {
  const reason = `the container was told to end${left.length > 0 ? `; what there was: ${left.join(', ')}` : ''}`;
  await client.post('fail', { reason, failure_class: 'interrupted' });
}

/** A patch in another encoding than UTF-8 would not survive JSON. */
const isText = (patch: Buffer): boolean => Buffer.from(patch.toString('utf8')).equals(patch);

/** The report carries the end of what was said; a transcript is worth a request only when there is more than that. */
async function uploadTranscript(
  client: ContainerClient,
  { result, runState }: AgentSession,
): Promise<string | null> {
  if (result.output === '' || (runState === null && result.output.length <= TAIL_CHARACTERS)) return null;
  try {
    return await client.upload('transcript', Buffer.from(result.output));
  } catch (error) {
    // Nice to have: the work itself must not be lost because its log could not be stored.
    console.error(`transcript: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** What the agent says of its work: in its events, else in the file that a command may leave. */
async function agentClaims({ runState }: AgentSession, usageFile: string): Promise<CommandUsageFile> {
  if (runState === null) return readUsageFile(usageFile);
  const usage = totalUsage(runState);
  const summary = runState.summary ?? runState.lastMessage;
  return {
    ...(usage ? { usage } : {}),
    ...(runState.status ? { status: runState.status } : {}),
    ...(summary === null ? {} : { summary: summary.slice(0, SUMMARY_CHARACTERS) }),
  };
}

/** The last of what was said: of a CLI its words, not its events. */
const tailOf = ({ result, runState }: AgentSession): string =>
  (runState === null ? result.output : (runState.lastMessage ?? runState.failure?.reason ?? '')).slice(
    -TAIL_CHARACTERS,
  );

/** What the provider asked for, in whole seconds, as far as anybody would wait. */
const retryAfter = (failure: AgentFailure): { retry_after_s?: number } =>
  failure.retryAfterSeconds === undefined
    ? {}
    : { retry_after_s: Math.min(86_400, Math.max(1, Math.ceil(failure.retryAfterSeconds))) };

const summaryOf = (claimed: CommandUsageFile, { result, runState }: AgentSession): string =>
  (
    claimed.summary?.trim() ||
    (runState === null ? result.output.trim().slice(-SUMMARY_CHARACTERS) : '') ||
    'the agent said nothing'
  ).trim();
