import { commandEnvironment } from '../../gates/process/environment.ts';
import { type RunResult, run } from '../../gates/process/run.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';
import { BOX_ENV } from '../../shared/names.ts';
import type { Box } from '../supervisor/box.ts';
import { EventLines } from './adapters/events.ts';
import { newReading, type Reading } from './adapters/reading.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import type { Prepared } from './places.ts';
import { watchWaiting } from './waiting.ts';

/** Largest transcript in bytes that is kept. */
const TRANSCRIPT_BYTES = 5 * 1_048_576;
/** What a CLI is given to end well on each signal; with SIGINT some print what they used. */
const GRACE_MS = 10_000;
/** How long a CLI may say nothing but that it waits. Its own retries are few, so this is a wait without an end. */
const WAITING_MS = 300_000;

/** How to get out, where there is a way. The model's key is in no box. */
const passedOn = (): string[] => [
  'HTTPS_PROXY',
  'NO_PROXY',
  ...(process.env[BOX_ENV.passOn] ?? '').split(',').filter((name) => name !== ''),
];

export interface Session {
  readonly result: RunResult;
  /** Null: the adapter's output is no events. */
  readonly reading: Reading | null;
  /** What it waited for when it was ended for that. */
  readonly waitedFor: string | null;
}

export interface SessionOptions {
  readonly abort: AbortSignal;
  /** Called once, before the agent starts: what is read goes into it while it runs. */
  readonly onStart?: (reading: Reading) => void;
  readonly waitingMs?: number;
  readonly graceMs?: number;
}

/** Runs the agent to its end, reading along. */
export async function runSession(
  assignment: AgentAssignment,
  box: Box,
  { places, invocation }: Prepared,
  { abort, onStart, waitingMs = WAITING_MS, graceMs = GRACE_MS }: SessionOptions,
): Promise<Session> {
  const adapter = AGENT_ADAPTERS[assignment.adapter.kind];
  const reading = newReading();
  const waiting = watchWaiting(waitingMs);
  const { read } = adapter;
  const lines =
    read &&
    new EventLines((event) => {
      reading.waiting = null;
      reading.waitingClass = null;
      read(event, reading);
      waiting.see(reading.waiting);
    });
  if (lines) onStart?.(reading);
  const ran = await run(
    { argv: invocation.argv },
    {
      cwd: places.checkout,
      env: commandEnvironment({
        home: places.home,
        tmp: places.tmp,
        pass: passedOn(),
        extra: {
          ASSAY_PROMPT_FILE: places.promptFile,
          ASSAY_ROLE: assignment.role,
          ASSAY_TASK_ID: assignment.task_id,
          ASSAY_ATTEMPT: String(assignment.attempt),
          ASSAY_MODEL: assignment.model ?? '',
          ASSAY_EFFORT: assignment.effort,
          ...invocation.env,
        },
      }),
      timeoutMs: assignment.adapter.timeout_s * 1_000,
      outputBytes: TRANSCRIPT_BYTES,
      runAs: box.users?.[0] ?? null,
      territory: places.territory,
      abort: AbortSignal.any([abort, waiting.tooLong]),
      ...(lines
        ? { onOutput: (chunk) => lines.add(chunk), stopSignals: adapter.stop, graceMs }
        : { stopSignals: adapter.stop }),
    },
  );
  waiting.stop();
  lines?.end();
  if (lines && ran.exitCode !== null && adapter.failureAtExit)
    reading.failure = adapter.failureAtExit(ran.exitCode, reading);
  const output = assignment.models
    ? ran.output.replaceAll(assignment.models.token, '[token of the attempt]')
    : ran.output;
  const result = { ...ran, output };
  return { result, reading: lines && reading, waitedFor: waiting.tooLong.aborted ? waiting.last() : null };
}
