import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { CoordinationSettings } from '../../contract/coordination/settings.ts';
import type { FailureCode } from '../../contract/failure/failure-class.ts';
import type { ResolvedRole } from '../../contract/roles/resolved-role.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedWorkflow } from '../../contract/workflow/resolved-workflow.ts';
import { truncateText } from '../../lib/truncate.ts';
import { isBaseCommitUnresolved } from './base-commit.ts';
import { taskEndFields } from './finish-task.ts';
import { applyTaskEvent, type TaskChange } from './task-change.ts';

/** A plan with what its present base says of plans, and nothing of an earlier one. */
function withCoordination(
  { base_coordination: _, ...plan }: NonNullable<Task['plan']>,
  coordination: CoordinationSettings | undefined,
): NonNullable<Task['plan']> {
  return { ...plan, ...(coordination && { base_coordination: coordination }) };
}

/** Writes down what the base ref stands for, and what that commit says of the role, once: a later answer changes nothing. */
export function recordResolvedBase(
  task: Task,
  base: {
    readonly commit: string;
    readonly role: ResolvedRole | null;
    readonly autonomy: AutonomyLevel | null;
    readonly image?: string | undefined;
    readonly workflow?: ResolvedWorkflow | undefined;
    /** What the project says of its plans; a plan's own word comes before it. */
    readonly coordination?: CoordinationSettings | undefined;
  },
  now: Date,
): TaskChange | null {
  return isBaseCommitUnresolved(task)
    ? applyTaskEvent(task, 'resolve', now, {
        base_commit: base.commit,
        resolved_role: base.role,
        base_autonomy: base.autonomy,
        ...(base.image !== undefined && { image: base.image }),
        ...(base.workflow && { resolved_workflow: base.workflow }),
        ...(task.plan && { plan: withCoordination(task.plan, base.coordination) }),
      })
    : null;
}

/** There is nothing to start from: no agent can mend that. */
export function failBaseResolution(
  task: Task,
  failureClass: FailureCode,
  message: string,
  now: Date,
): TaskChange {
  return applyTaskEvent(task, 'fail', now, {
    ...taskEndFields(now),
    failure: { code: failureClass, message: truncateText(`${failureClass}: ${message}`, 4_000) },
  });
}
