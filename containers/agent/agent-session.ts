import { ADAPTER_MANIFESTS, type AdapterKind } from '../../shared/contract/agents/adapter-manifests.ts';
import type { ApprovalRequest } from '../../shared/contract/approval/schema.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { RoleLimits } from '../../shared/contract/roles/schema.ts';
import { countOomKills } from '../../workspace/process/oom-kills.ts';
import { type ProcessResult, runProcess } from '../../workspace/process/run-process.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { JsonEventStream } from './adapters/json-event-stream.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { type AgentRunState, createAgentRunState, resetAgentRunOutcome } from './adapters/run-state.ts';
import { buildAgentEnvironment } from './agent-environment.ts';
import { readApprovalRequest, watchApprovalRequest } from './approval-request.ts';
import { startLingerTimer } from './linger-timer.ts';
import type { AgentRunMiddleware } from './middleware/agent-run-middleware.ts';
import { SILENCE_MS, startWatchdog, WAITING_MS, type WatchdogStopReason } from './watchdog.ts';
import type { PreparedWorkspace } from './workspace-layout.ts';

/** Largest transcript in bytes that is kept. */
const TRANSCRIPT_BYTES = 5 * 1_048_576;
/** Characters at the end of what a program has printed that are taken for its last words. */
const LAST_WORDS = 2_000;
/** What a CLI is given to end well on each signal; with SIGINT some print what they used. */
const GRACE_MS = 10_000;
/** How often an agent that is silent is told to go on, before it is given up. */
const NUDGES = 1;

export interface AgentSession {
  readonly result: ProcessResult;
  /** Null: the adapter's output is no events. */
  readonly runState: AgentRunState | null;
  /** Why it was ended before its time was over; null: it was not. */
  readonly watchdogStop: WatchdogStopReason | null;
  /** The final event of the protocol came in time: whatever ended the process afterwards is no failure. */
  readonly isFinished: boolean;
  /** True: the agent was killed, and the kernel has killed processes of the container because memory ran out. */
  readonly isOutOfMemory?: boolean;
  /** What it asks leave for; null: nothing. */
  readonly approvalRequest: ApprovalRequest | null;
}

export interface AgentSessionOptions {
  readonly abort: AbortSignal;
  /** Of the role. */
  readonly limits?: RoleLimits;
  /** Called once, before the agent starts: what is read goes into it while it runs. */
  readonly onStart?: (reading: AgentRunState) => void;
  /** What is wrapped around the run; absent: nothing. */
  readonly middleware?: AgentRunMiddleware;
  /** Until when it may run, on the clock of `performance.now`; absent: as long as the adapter says, from now. */
  readonly deadline?: number;
  /** Another run of an agent that had ended: what was read before, and the command line that goes on. */
  readonly resumeFrom?: { readonly reading: AgentRunState; readonly argv: readonly string[] };
  readonly waitingMs?: number;
  readonly silenceMs?: number;
  readonly graceMs?: number;
  readonly lingerMs?: number;
}

/** When an agent that starts now must have ended. */
export const computeSessionDeadline = ({ adapter }: Pick<AgentAssignment, 'adapter'>): number =>
  performance.now() + adapter.timeout_s * 1_000;

const nudge = (seconds: number): string =>
  `You have said nothing for ${seconds} seconds and were stopped. What you have changed is still there. If something hangs, do it another way. Go on with the task, and end by saying whether it is done or blocked.`;

/** Runs the agent to its end, reading along. One that has said nothing for too long is told to go on, where it can be, else ended. */
export async function runAgentSession(
  assignment: AgentAssignment,
  box: ContainerWorkContext,
  prepared: PreparedWorkspace,
  options: AgentSessionOptions,
): Promise<AgentSession> {
  const { resumeCommand, readEvent, failureAtExit } = AGENT_ADAPTERS[assignment.adapter.kind];
  const reading = options.resumeFrom?.reading ?? createAgentRunState();
  if (readEvent) options.onStart?.(reading);
  const until = options.deadline ?? computeSessionDeadline(assignment);
  const { argv } = prepared.invocation;
  let run = await runOnce(
    options.resumeFrom?.argv ?? argv,
    until,
    reading,
    assignment,
    box,
    prepared,
    options,
  );
  while (
    run.watchdogStop?.reason === 'silent' &&
    resumeCommand &&
    reading.sessionId !== null &&
    reading.nudges < NUDGES &&
    !options.abort.aborted
  ) {
    reading.nudges++;
    resetAgentRunOutcome(reading);
    const again = resumeCommand(argv, reading.sessionId, nudge(run.watchdogStop.seconds));
    const next = await runOnce(again, until, reading, assignment, box, prepared, options);
    run = { ...next, result: mergeProcessResults(run.result, next.result) };
  }
  if (readEvent && run.result.exitCode !== null && failureAtExit)
    reading.failure = failureAtExit(run.result.exitCode, reading);
  const asks =
    run.result.end === 'uncontained'
      ? null
      : (options.middleware?.takeApprovalRequest() ??
        (await readApprovalRequest(prepared.layout.approvalFile)));
  return { ...run, runState: readEvent && reading, approvalRequest: asks };
}

/** Two runs, one after the other: how the later one ended, and what both have said. */
export const mergeProcessResults = (first: ProcessResult, next: ProcessResult): ProcessResult => ({
  ...next,
  output: `${first.output}${next.output}`.slice(-TRANSCRIPT_BYTES),
  truncatedBytes: first.truncatedBytes + next.truncatedBytes,
  durationMs: first.durationMs + next.durationMs,
});

/** It was given its most turns on its command line. */
const endsByItself = (kind: AdapterKind): boolean => ADAPTER_MANIFESTS[kind].turnLimit;

/** One process of the agent, from its start to its end. `until`: on the clock of `performance.now`. */
async function runOnce(
  argv: readonly string[],
  until: number,
  reading: AgentRunState,
  assignment: AgentAssignment,
  box: ContainerWorkContext,
  prepared: PreparedWorkspace,
  {
    abort,
    middleware,
    limits,
    waitingMs = WAITING_MS,
    silenceMs,
    graceMs = GRACE_MS,
    lingerMs,
  }: AgentSessionOptions,
): Promise<Pick<AgentSession, 'result' | 'watchdogStop' | 'isFinished' | 'isOutOfMemory'>> {
  const { stopSignals: stop, readEvent, observeCalls } = AGENT_ADAPTERS[assignment.adapter.kind];
  const { layout } = prepared;
  const watch =
    readEvent &&
    startWatchdog({
      waitingMs,
      silenceMs:
        silenceMs ?? (limits?.idle_timeout_s === undefined ? SILENCE_MS : limits.idle_timeout_s * 1_000),
      maxTurns: endsByItself(assignment.adapter.kind) ? null : (limits?.max_turns ?? null),
    });
  const linger = startLingerTimer(until, lingerMs, () => watch?.stop());
  const lines =
    readEvent &&
    new JsonEventStream((event) => {
      // On a signal some print another, worse result.
      if (linger.end.aborted) return;
      reading.waitReason = null;
      reading.waitFailureClass = null;
      readEvent(event, reading);
      watch?.see(reading);
      linger.see(reading);
      if (middleware) for (const seen of observeCalls?.(event) ?? []) middleware.observeCall(seen, reading);
    });
  const ends = middleware?.startRun();
  const asking = watchApprovalRequest(layout.approvalFile);
  const oomKillsBefore = await countOomKills();
  const ran = await runProcess(
    { argv },
    {
      cwd: layout.checkout,
      env: buildAgentEnvironment(assignment, prepared),
      timeoutMs: Math.max(1, Math.round(until - performance.now())),
      maxOutputBytes: TRANSCRIPT_BYTES,
      runAs: box.users?.[0] ?? null,
      exclusiveFolder: layout.root,
      abort: AbortSignal.any([
        ...[abort, asking.asked, linger.end],
        ...(watch ? [watch.end] : []),
        ...(ends ? [ends] : []),
      ]),
      stopSignals: stop,
      ...(lines && {
        onOutput: (chunk) => {
          watch?.heard();
          lines.push(chunk);
        },
        graceMs,
      }),
    },
  );
  asking.stop();
  linger.stop();
  watch?.stop();
  lines?.end();
  await middleware?.finishRun(readEvent && reading, readEvent ? null : ran.output.slice(-LAST_WORDS));
  const output = assignment.model_access
    ? ran.output.replaceAll(assignment.model_access.token, '[token of the attempt]')
    : ran.output;
  const isOutOfMemory = ran.signal === 'SIGKILL' && (await countOomKills()) > oomKillsBefore;
  return {
    result: { ...ran, output },
    isFinished: linger.isFinished(),
    isOutOfMemory,
    watchdogStop:
      !linger.isFinished() &&
      watch?.end.aborted &&
      !asking.asked.aborted &&
      !ends?.aborted &&
      ran.end === 'aborted'
        ? (watch.end.reason as WatchdogStopReason)
        : null,
  };
}
