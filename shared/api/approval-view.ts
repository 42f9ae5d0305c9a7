import { type Approval, findPendingApproval } from '../contract/approval/schema.ts';
import type { Task } from '../contract/task/task.ts';
import type { ApprovalView, PendingApprovalItem } from './approval-schemas.ts';

/** An approval without what only the platform may know. */
export function approvalView({ parked_work: _work, launch: _launch, ...view }: Approval): ApprovalView {
  return view;
}

const HOUR_MS = 3_600_000;

/** How soon somebody must decide. */
export function approvalUrgency(until: string | null, now: Date): PendingApprovalItem['urgency'] {
  if (until === null) return 'no_expiry';
  const left = Date.parse(until) - now.getTime();
  return left < HOUR_MS ? 'critical' : left < 4 * HOUR_MS ? 'high' : 'normal';
}

/** A task that waits for an approval; null: it waits for none. */
export function buildPendingApprovalItem(task: Task, now: Date): PendingApprovalItem | null {
  const pending = task.status === 'auth_required' ? findPendingApproval(task) : null;
  if (pending === null) return null;
  const until = pending.deadlines.at(-1)?.at ?? null;
  return {
    id: task.id,
    task_title: task.title,
    role: task.role,
    priority: task.priority,
    repository: task.repository,
    approval: approvalView(pending),
    since: pending.created_at,
    expires_at: until,
    urgency: approvalUrgency(until, now),
  };
}
