import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';

/** The node that has graded the work of an attempt down, or null. */
function findFailedNode({ verdict }: Pick<Attempt, 'verdict'>): string | null {
  const last = verdict?.workflow?.routes.at(-1);
  return last?.is_graded && last.verdict === 'fail' ? last.node : null;
}

/**
 * Why a person decides in place of another attempt, or null: a verification node has graded the work down more often than its workflow
 * has it done again. Without a number of its own, the limits of the cascade hold alone.
 */
export function regenerationLimitReason({
  attempts,
  first_budgeted_attempt,
  resolved_workflow: workflow,
}: Pick<Task, 'attempts' | 'first_budgeted_attempt' | 'resolved_workflow'>): string | null {
  const last = attempts.at(-1);
  const node = last ? findFailedNode(last) : null;
  const most = workflow?.verifications.find((each) => each.node === node)?.max_regenerations ?? null;
  if (node === null || most === null) return null;
  const rejected = attempts.filter(
    (each) => each.number >= first_budgeted_attempt && findFailedNode(each) === node,
  ).length;
  return rejected > most
    ? `${node} has graded the work down ${rejected} ${rejected === 1 ? 'time' : 'times'}, and the workflow has it done again ${most} ${most === 1 ? 'time' : 'times'}`
    : null;
}
