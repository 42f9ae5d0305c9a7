import type * as z from 'zod';
import type { StatusView } from '../api/schemas.ts';
import { summarise } from '../ledger/nudge.ts';
import type { NudgeStore } from '../store/nudge.ts';
import type { TaskStore } from '../store/tasks.ts';
import { STATUSES, type Status } from '../task/status.ts';

/** Counts by status and role, and the verification nudge, which is always there. */
export async function statusView(deps: {
  tasks: TaskStore;
  nudge: NudgeStore;
  now: Date;
  threshold: number;
  minCompletions: number;
}): Promise<z.infer<typeof StatusView>> {
  const [counts, ...roles] = await Promise.all([
    deps.nudge.counts(),
    ...STATUSES.map((status) => deps.tasks.roles(status)),
  ]);
  const byStatus = Object.fromEntries(
    STATUSES.map((status, index) => [status, roles[index]?.length ?? 0]),
  ) as Record<Status, number>;
  const perRole = new Map<string, Partial<Record<Status, number>>>();
  STATUSES.forEach((status, index) => {
    for (const role of roles[index] ?? []) {
      const row = perRole.get(role) ?? {};
      row[status] = (row[status] ?? 0) + 1;
      perRole.set(role, row);
    }
  });
  return {
    total: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
    by_status: byStatus,
    per_role: [...perRole]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([role, by_status]) => ({ role, by_status })),
    verification_nudge: summarise(counts, deps.threshold, deps.minCompletions),
    generated_at: deps.now.toISOString(),
  };
}
