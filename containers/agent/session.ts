import type { AdapterKind } from '../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../shared/contract/agents/adapter-facts.ts';
import type { Ask } from '../../shared/contract/approval/schema.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { RoleLimits } from '../../shared/contract/roles/schema.ts';
import { type RunResult, run } from '../../workspace/process/run.ts';
import type { Box } from '../../workspace/supervisor/box.ts';
import { EventLines } from './adapters/events.ts';
import { newReading, type Reading } from './adapters/reading.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { readAsk, watchAsk } from './asking.ts';
import { environmentOf } from './environment.ts';
import type { Around } from './middleware/around.ts';
import type { Prepared } from './places.ts';
import { type Stopped, watchAgent } from './watch.ts';

/** Largest transcript in bytes that is kept. */
const TRANSCRIPT_BYTES = 5 * 1_048_576;
/** Characters at the end of what a program has printed that are taken for its last words. */
const LAST_WORDS = 2_000;
/** What a CLI is given to end well on each signal; with SIGINT some print what they used. */
const GRACE_MS = 10_000;
/** How long a CLI may say nothing but that it waits. Its own retries are few, so this is a wait without an end. */
const WAITING_MS = 300_000;
/** How long it may say nothing at all, where its role does not say: longer than a tool of any CLI or a call of a model may take. */
const SILENCE_MS = 900_000;
/** How often an agent that is silent is told to go on, before it is given up. */
const NUDGES = 1;

export interface Session {
  readonly result: RunResult;
  /** Null: the adapter's output is no events. */
  readonly reading: Reading | null;
  /** Why it was ended before its time was over; null: it was not. */
  readonly stopped: Stopped | null;
  /** What it asks leave for; null: nothing. */
  readonly asks: Ask | null;
}

export interface SessionOptions {
  readonly abort: AbortSignal;
  /** Of the role. */
  readonly limits?: RoleLimits;
  /** Called once, before the agent starts: what is read goes into it while it runs. */
  readonly onStart?: (reading: Reading) => void;
  /** What is wrapped around the run; absent: nothing. */
  readonly around?: Around;
  /** Until when it may run, on the clock of `performance.now`; absent: as long as the adapter says, from now. */
  readonly until?: number;
  /** Another run of an agent that had ended: what was read before, and the command line that goes on. */
  readonly goesOn?: { readonly reading: Reading; readonly argv: readonly string[] };
  readonly waitingMs?: number;
  readonly silenceMs?: number;
  readonly graceMs?: number;
}

/** When an agent that starts now must have ended. */
export const endOfTime = ({ adapter }: Pick<AgentAssignment, 'adapter'>): number =>
  performance.now() + adapter.timeout_s * 1_000;

const nudge = (seconds: number): string =>
  `You have said nothing for ${seconds} seconds and were stopped. What you have changed is still there. If something hangs, do it another way. Go on with the task, and end by saying whether it is done or blocked.`;

/** Runs the agent to its end, reading along. One that has said nothing for too long is told to go on, where it can be, else ended. */
export async function runSession(
  assignment: AgentAssignment,
  box: Box,
  prepared: Prepared,
  options: SessionOptions,
): Promise<Session> {
  const { resume, read, failureAtExit } = AGENT_ADAPTERS[assignment.adapter.kind];
  const reading = options.goesOn?.reading ?? newReading();
  if (read) options.onStart?.(reading);
  const until = options.until ?? endOfTime(assignment);
  const { argv } = prepared.invocation;
  let run = await runOnce(options.goesOn?.argv ?? argv, until, reading, assignment, box, prepared, options);
  while (
    run.stopped?.why === 'silent' &&
    resume &&
    reading.session !== null &&
    reading.nudges < NUDGES &&
    !options.abort.aborted
  ) {
    reading.nudges++;
    Object.assign(reading, { ended: false, failure: null, stopReason: null });
    const again = resume(argv, reading.session, nudge(run.stopped.seconds));
    const next = await runOnce(again, until, reading, assignment, box, prepared, options);
    run = { ...next, result: together(run.result, next.result) };
  }
  if (read && run.result.exitCode !== null && failureAtExit)
    reading.failure = failureAtExit(run.result.exitCode, reading);
  const asks =
    run.result.end === 'uncontained'
      ? null
      : (options.around?.takeAsk() ?? (await readAsk(prepared.places.approvalFile)));
  return { ...run, reading: read && reading, asks };
}

/** Two runs, one after the other: how the later one ended, and what both have said. */
export const together = (first: RunResult, next: RunResult): RunResult => ({
  ...next,
  output: `${first.output}${next.output}`.slice(-TRANSCRIPT_BYTES),
  cutBytes: first.cutBytes + next.cutBytes,
  durationMs: first.durationMs + next.durationMs,
});

/** It was given its most turns on its command line. */
const endsByItself = (kind: AdapterKind): boolean => kind !== 'command' && ADAPTER_FACTS[kind].turns;

/** One process of the agent, from its start to its end. `until`: on the clock of `performance.now`. */
async function runOnce(
  argv: readonly string[],
  until: number,
  reading: Reading,
  assignment: AgentAssignment,
  box: Box,
  prepared: Prepared,
  { abort, around, limits, waitingMs = WAITING_MS, silenceMs, graceMs = GRACE_MS }: SessionOptions,
): Promise<Pick<Session, 'result' | 'stopped'>> {
  const { stop, read, observe } = AGENT_ADAPTERS[assignment.adapter.kind];
  const { places } = prepared;
  const watch =
    read &&
    watchAgent({
      waitingMs,
      silenceMs: silenceMs ?? (limits?.silence_s === undefined ? SILENCE_MS : limits.silence_s * 1_000),
      maxTurns: endsByItself(assignment.adapter.kind) ? null : (limits?.max_turns ?? null),
    });
  const lines =
    read &&
    new EventLines((event) => {
      reading.waiting = null;
      reading.waitingClass = null;
      read(event, reading);
      watch?.see(reading);
      if (around) for (const seen of observe?.(event) ?? []) around.see(seen, reading);
    });
  const ends = around?.runBegins();
  const asking = watchAsk(places.approvalFile);
  const ran = await run(
    { argv },
    {
      cwd: places.checkout,
      env: environmentOf(assignment, prepared),
      timeoutMs: Math.max(1, Math.round(until - performance.now())),
      outputBytes: TRANSCRIPT_BYTES,
      runAs: box.users?.[0] ?? null,
      territory: places.territory,
      abort: AbortSignal.any([abort, asking.asked, ...(watch ? [watch.end] : []), ...(ends ? [ends] : [])]),
      stopSignals: stop,
      ...(lines && {
        onOutput: (chunk) => {
          watch?.heard();
          lines.add(chunk);
        },
        graceMs,
      }),
    },
  );
  asking.stop();
  watch?.stop();
  lines?.end();
  await around?.runEnded(read && reading, read ? null : ran.output.slice(-LAST_WORDS));
  const output = assignment.models
    ? ran.output.replaceAll(assignment.models.token, '[token of the attempt]')
    : ran.output;
  return {
    result: { ...ran, output },
    stopped:
      watch?.end.aborted && !asking.asked.aborted && !ends?.aborted && ran.end === 'aborted'
        ? (watch.end.reason as Stopped)
        : null,
  };
}
