import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';

export const SMOKE_STEPS = ['start', 'agent', 'gates', 'verdict', 'deliver', 'settle'] as const;
export type SmokeStepName = (typeof SMOKE_STEPS)[number];

/** One step of a task through a deployment. */
export interface SmokeStep {
  readonly step: SmokeStepName;
  /** From the timestamps of the deployment; null: the task did not reach or need the step. */
  readonly ms: number | null;
  readonly description: string;
}

const DESCRIPTIONS: Readonly<Record<SmokeStepName, string>> = {
  start: 'the base commit is resolved, a model is chosen',
  agent: 'a container starts and clones; the agent works',
  gates: 'a second container starts, clones and runs the gates',
  verdict: 'the janitor and the cascade decide',
  deliver: 'a function fetches the base and pushes',
  settle: 'the task is done',
};

/** Returns when each step ended, in epoch milliseconds; null: it has not, or was not needed. */
function endTimes(
  task: TaskView,
  attempt: AttemptView | undefined,
): Readonly<Record<SmokeStepName, number | null>> {
  const at = (iso: string | null | undefined): number | null => (iso ? Date.parse(iso) : null);
  const { delivery } = task;
  return {
    start: at(attempt?.started_at),
    agent: at(attempt?.report?.at),
    gates: at((attempt?.verification ?? attempt?.verification_failure)?.at),
    verdict: at(attempt?.decision?.at),
    deliver: delivery?.state === 'delivered' || delivery?.state === 'refused' ? at(delivery.at) : null,
    settle: at(task.ended_at),
  };
}

/** Returns the steps of the last attempt with their times; each begins where the step before it ended. */
export function measureSmokeSteps(task: TaskView, attempts: readonly AttemptView[]): readonly SmokeStep[] {
  const ended = endTimes(task, attempts.at(-1));
  let before = Date.parse(task.created_at);
  return SMOKE_STEPS.map((step) => {
    const end = ended[step];
    const ms = end === null ? null : end - before;
    before = end ?? before;
    return { step, ms, description: DESCRIPTIONS[step] };
  });
}

/** Describes the state of a task, and why it is in it, in a few words. */
export function describeTaskState(task: TaskView): string {
  const why =
    task.failure?.message ??
    task.hold?.reasons[0] ??
    (task.delivery?.state === 'refused' ? task.delivery.reason : null) ??
    task.blocked_reason?.message ??
    task.progress ??
    task.reasons[0];
  return why ? `${task.status}: ${why}` : task.status;
}
