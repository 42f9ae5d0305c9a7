import type { ApiRouteClient } from '../../cli/client.ts';
import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import { median, percentile } from './statistics.ts';

/** Where the time of a task goes, in milliseconds. */
export interface TaskTiming {
  /** From the moment the request is sent to the decision on the verdict. */
  readonly total: number;
  /** Until the attempt exists: API, stream, start of the cascade, model chosen. */
  readonly accepted: number;
  /** Queue, dispatcher, and the whole life of the agent's box until it has reported. */
  readonly agent: number;
  /** The same for the gates' box, until the evidence is gathered. */
  readonly gates: number;
  /** Evidence handed in, janitor, decision. */
  readonly verdict: number;
}

export interface LatencyResult {
  readonly tasks: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** From the first request to the last end, in tasks per second. */
  readonly tasks_per_second: number;
  /** Medians of the phases. */
  readonly phases_ms: Omit<TaskTiming, 'total'>;
}

/**
 * A task that does as little as a task can: its agent is `touch`, its repository asks for no gate, and it names no signal. The
 * file is needed: a patch that changes nothing and has no evidence fails, and would climb the cascade.
 */
export const buildNoopTask = (repository: string, id: string): TaskSubmissionInput => ({
  id,
  title: 'Do nothing',
  repository,
  adapter: { kind: 'command', argv: ['touch', 'nothing'], timeout_s: 60 },
  budget: { max_attempts: 1 },
});

function timingOf(sent: number, task: TaskView, attempt: AttemptView | undefined): TaskTiming {
  const { started_at, report, verification, decision } = attempt ?? {};
  if (task.status !== 'done' || !started_at || !report || !verification || !decision)
    throw new Error(`task ${task.id} ended ${task.status}: ${task.failure?.message ?? 'without a verdict'}`);
  const at = [started_at, report.at, verification.at, decision.at].map((time) => Date.parse(time));
  const [started = 0, reported = 0, verified = 0, decided = 0] = at;
  return {
    total: decided - sent,
    accepted: started - sent,
    agent: reported - started,
    gates: verified - reported,
    verdict: decided - verified,
  };
}

/** A task that was submitted, and when, by this machine's clock. */
export interface SentTask {
  readonly id: string;
  readonly at: number;
}

/** Submits a task by a request of its own. */
export async function sendTask(client: ApiRouteClient, repository: string, id: string): Promise<SentTask> {
  const at = Date.now();
  await client.submitTask({ body: buildNoopTask(repository, id) });
  return { id, at };
}

/** Reads what came of tasks that have ended. Apart from `send`, so that reading is not counted as a cost of the task. */
export async function collectTaskTimings(
  client: ApiRouteClient,
  sent: readonly SentTask[],
): Promise<{ timings: TaskTiming[]; lastEnd: number }> {
  const chains = [];
  for (const { id } of sent) {
    const task = await client.getTask({ id });
    chains.push({ task, attempts: (await client.listAttempts({ id })).attempts });
  }
  return {
    timings: chains.map(({ task, attempts }, index) => timingOf(sent[index]?.at ?? 0, task, attempts.at(-1))),
    lastEnd: Math.max(...chains.map(({ task }) => Date.parse(task.ended_at ?? ''))),
  };
}

/** `wallMs`: from the first request to the last end. */
export function summarizeTimings(timings: readonly TaskTiming[], wallMs: number): LatencyResult {
  const totals = timings.map((timing) => timing.total);
  const phase = (name: keyof TaskTiming): number => median(timings.map((timing) => timing[name]));
  return {
    tasks: timings.length,
    p50_ms: percentile(totals, 0.5),
    p99_ms: percentile(totals, 0.99),
    tasks_per_second: Math.round((timings.length / wallMs) * 1_000_000) / 1_000,
    phases_ms: {
      accepted: phase('accepted'),
      agent: phase('agent'),
      gates: phase('gates'),
      verdict: phase('verdict'),
    },
  };
}
