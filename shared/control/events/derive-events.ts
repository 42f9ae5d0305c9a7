import { computeAttemptCost } from '../../contract/task/attempt-cost.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { budgetExhaustedReason } from '../cascade/decide-after-attempt.ts';
import type { AssayEvent, EventName } from './event-schemas.ts';

/** Characters of a text in an event: an event may have 256 KiB, a mail is read by people. */
const MAX_TEXT = 2_000;
const MAX_REASONS = 20;
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);

/** Null when nothing is known of any attempt; what is not known of some counts as nothing. */
function costOf({ attempts }: Task): number | null {
  const known = attempts.flatMap((attempt) =>
    attempt.cost_usd === null ? [] : [computeAttemptCost(attempt).usd],
  );
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}

const eventDetail = (task: Task, name: EventName, what: string) => ({
  event_id: `${task.id}#${task.version}#${name.toLowerCase().replaceAll(' ', '_')}`,
  schema_version: 1 as const,
  summary: cut(`Task ${task.id} (${task.title}) ${what}`),
  at: task.updated_at,
  task_id: task.id,
  title: task.title,
  role: task.role,
  priority: task.priority,
  runner: task.runner,
  repository: task.repository,
  created_by: task.created_by,
  version: task.version,
  attempts: task.attempts.length,
  cost_usd: costOf(task),
});

function completionEvents(task: Task): AssayEvent[] {
  const { delivery } = task;
  const result = {
    verified: task.verified === true,
    branch: delivery?.branch ?? null,
    commit: delivery?.commit ?? null,
    delivery: delivery?.state ?? null,
  };
  const where = result.branch === null ? 'is done' : `is done and delivered to ${result.branch}`;
  return [
    { name: 'Task Done', detail: { ...eventDetail(task, 'Task Done', where), ...result } },
    ...(result.verified
      ? []
      : [
          {
            name: 'Task Unverified' as const,
            detail: {
              ...eventDetail(task, 'Task Unverified', 'is done without evidence of our own'),
              ...result,
            },
          },
        ]),
  ];
}

function failureEvents(task: Task): AssayEvent[] {
  const { code, message } = task.failure ?? { code: 'unknown', message: 'nobody said why' };
  const spent = currentAttempt(task)?.decision?.action === 'give_up' ? budgetExhaustedReason(task) : null;
  return [
    {
      name: 'Task Failed',
      detail: {
        ...eventDetail(task, 'Task Failed', `has failed: ${code}: ${message}`),
        code,
        message: cut(message),
      },
    },
    ...(spent === null
      ? []
      : [
          {
            name: 'Budget Spent' as const,
            detail: {
              ...eventDetail(task, 'Budget Spent', `has spent its budget: ${spent}`),
              reason: spent,
              max_attempts: task.budget.max_attempts,
              max_cost_usd: task.budget.max_cost_usd ?? null,
            },
          },
        ]),
  ];
}

function reviewNeededEvent(task: Task): AssayEvent {
  const reasons = (task.hold?.reasons ?? []).slice(0, MAX_REASONS).map(cut);
  const artifact = currentAttempt(task)?.artifact;
  return {
    name: 'Task Held',
    detail: {
      ...eventDetail(task, 'Task Held', `waits for a person: ${reasons.join('; ') || 'no reason was given'}`),
      reasons,
      plan: task.plan !== undefined,
      base_commit: artifact?.base_commit ?? task.base_commit,
      tree: artifact?.tree ?? null,
    },
  };
}

function cancellationEvent(task: Task): AssayEvent {
  const reason = task.failure?.message ?? null;
  return {
    name: 'Task Cancelled',
    detail: {
      ...eventDetail(task, 'Task Cancelled', `was cancelled${reason === null ? '' : `: ${reason}`}`),
      reason: reason === null ? null : cut(reason),
    },
  };
}

/** What the world is told of one write of a task: a pure function of the two images, so that a repeat says the same under the same id. */
export function deriveTaskEvents(before: Task | null, after: Task): AssayEvent[] {
  const came = (status: Task['status']): boolean => after.status === status && before?.status !== status;
  return [
    ...(after.hold && !before?.hold ? [reviewNeededEvent(after)] : []),
    ...(came('done') ? completionEvents(after) : []),
    ...(came('failed') ? failureEvents(after) : []),
    ...(came('cancelled') ? [cancellationEvent(after)] : []),
  ];
}
