import type { AttemptView, TaskView } from '../../shared/api/schemas.ts';

export const STEPS = ['start', 'agent', 'gates', 'verdict', 'deliver', 'settle'] as const;
export type StepName = (typeof STEPS)[number];

/** One step of a task's way through a deployment. */
export interface Step {
  readonly step: StepName;
  /** Of what the deployment has written down; null: the task has not come so far, or not by this way. */
  readonly ms: number | null;
  /** What the time is spent on. */
  readonly about: string;
}

const ABOUT: Readonly<Record<StepName, string>> = {
  start: 'the base is asked for, a model is chosen',
  agent: 'a box starts, clones, and the agent works',
  gates: 'a second box starts, clones, and checks',
  verdict: 'the janitor and the cascade decide',
  deliver: 'a function fetches the base and pushes',
  settle: 'the task is done',
};

/** When each step ended, in epoch milliseconds; null: it has not, or was not needed. */
function ends(task: TaskView, attempt: AttemptView | undefined): Readonly<Record<StepName, number | null>> {
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

/** The way of a task by its last attempt, step by step; each begins where the one before it has ended. */
export function stepsOf(task: TaskView, attempts: readonly AttemptView[]): readonly Step[] {
  const ended = ends(task, attempts.at(-1));
  let before = Date.parse(task.created_at);
  return STEPS.map((step) => {
    const end = ended[step];
    const ms = end === null ? null : end - before;
    before = end ?? before;
    return { step, ms, about: ABOUT[step] };
  });
}

/** Where a task that has not ended well stands, in a few words. */
export function standing(task: TaskView): string {
  const why =
    task.failure?.message ??
    task.hold?.reasons[0] ??
    (task.delivery?.state === 'refused' ? task.delivery.reason : null) ??
    task.blocked_reason?.message ??
    task.progress ??
    task.reasons[0];
  return why ? `${task.status}: ${why}` : task.status;
}
