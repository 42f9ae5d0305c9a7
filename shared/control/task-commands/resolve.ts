import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { CoordinationSettings } from '../../contract/coordination/settings.ts';
import type { FailureClass } from '../../contract/failure/failure-class.ts';
import type { RoleInForce } from '../../contract/roles/in-force.ts';
import type { Task } from '../../contract/task/task.ts';
import type { WorkflowInForce } from '../../contract/workflow/in-force.ts';
import { firstOf } from '../../lib/cut.ts';
import { isUnresolved } from './base.ts';
import { type Change, change } from './change.ts';
import { ended } from './settle.ts';

/** A plan with what its present base says of plans, and nothing of an earlier one. */
function withCoordination(
  { base_coordination: _, ...plan }: NonNullable<Task['plan']>,
  coordination: CoordinationSettings | undefined,
): NonNullable<Task['plan']> {
  return { ...plan, ...(coordination && { base_coordination: coordination }) };
}

/** Writes down what the base ref stands for, and what that commit says of the role, once: a later answer changes nothing. */
export function resolveBase(
  task: Task,
  base: {
    readonly commit: string;
    readonly role: RoleInForce | null;
    readonly autonomy: AutonomyLevel | null;
    readonly image?: string | undefined;
    readonly workflow?: WorkflowInForce | undefined;
    /** What the project says of its plans; a plan's own word comes before it. */
    readonly coordination?: CoordinationSettings | undefined;
  },
  now: Date,
): Change | null {
  return isUnresolved(task)
    ? change(task, 'resolve', now, {
        base_commit: base.commit,
        base_role: base.role,
        base_autonomy: base.autonomy,
        ...(base.image !== undefined && { image: base.image }),
        ...(base.workflow && { workflow_in_force: base.workflow }),
        ...(task.plan && { plan: withCoordination(task.plan, base.coordination) }),
      })
    : null;
}

/** There is nothing to start from: no agent can mend that. */
export function failWithoutBase(task: Task, failureClass: FailureClass, message: string, now: Date): Change {
  return change(task, 'fail', now, {
    ...ended(now),
    failure: { code: failureClass, message: firstOf(`${failureClass}: ${message}`, 4_000) },
  });
}
