import type * as z from 'zod';
import type { DeploymentStatusView, VerificationWindowView } from '../../api/task-schemas.ts';
import { TASK_STATUSES, type TaskStatus } from '../../contract/task/status.ts';
import { filterActiveCooldowns } from '../../control/cascade/provider-cooldown.ts';
import type { VerificationNudgeRules } from '../../control/ledger/nudge-rules.ts';
import {
  buildVerificationNudge,
  type CompletionHistory,
  completionsInWindow,
  nudgeWindowStart,
} from '../../control/ledger/verification-nudge.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import { determineBreakerState } from '../../reviews/judging/circuit-breaker.ts';
import type { CircuitBreakerStore } from '../../store/circuit-breakers.ts';
import type { ProviderCooldownStore } from '../../store/provider-cooldowns.ts';
import type { TaskCompletionStore } from '../../store/task-completions.ts';
import type { TaskCountStore } from '../../store/task-counts.ts';

interface NudgeContext {
  readonly completions: Pick<TaskCompletionStore, 'listLatest' | 'lastReset'>;
  readonly nudge: VerificationNudgeRules;
  readonly now: Date;
}

/** What there is of completions in the window, and perhaps some more. */
async function completed({
  completions,
  nudge,
  now,
}: NudgeContext): Promise<Omit<CompletionHistory, 'totals'>> {
  const [latest, anew] = await Promise.all([
    completions.listLatest(nudgeWindowStart(nudge, now), nudge.nudgeWindow),
    completions.lastReset(),
  ]);
  return { latest, reset: anew };
}

/** The nudge with what it is made of: as much work for many tasks as for few. */
export async function readVerificationNudgeWindow(
  deps: NudgeContext & { readonly counts: Pick<TaskCountStore, 'read'> },
): Promise<z.infer<typeof VerificationWindowView>> {
  const [found, { allTime }] = await Promise.all([completed(deps), deps.counts.read()]);
  const all = { ...found, totals: allTime };
  return {
    verification_nudge: buildVerificationNudge(all, deps.nudge, deps.now),
    completions: completionsInWindow(all, deps.nudge, deps.now),
    generated_at: deps.now.toISOString(),
  };
}

/** Counts by status and role, and the verification nudge, which is always there: read from counters, so as much work for many tasks as for few. */
export async function readSystemStatus(
  deps: NudgeContext & {
    counts: Pick<TaskCountStore, 'read'>;
    breakers: Pick<CircuitBreakerStore, 'list'>;
    /** Absent: nobody keeps how providers fare. */
    providers?: Pick<ProviderCooldownStore, 'listCooldowns'>;
  },
): Promise<z.infer<typeof DeploymentStatusView>> {
  const [{ roles, allTime, revision }, found, breakers, providers = []] = await Promise.all([
    deps.counts.read(),
    completed(deps),
    deps.breakers.list(),
    deps.providers?.listCooldowns(),
  ]);
  const rows = [...roles].filter(([, row]) => Object.keys(row).length > 0);
  const byStatus = Object.fromEntries(
    TASK_STATUSES.map((status) => [status, rows.reduce((sum, [, row]) => sum + (row[status] ?? 0), 0)]),
  ) as Record<TaskStatus, number>;
  return {
    total: Object.values(byStatus).reduce((sum, number) => sum + number, 0),
    by_status: byStatus,
    per_role: rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([role, by_status]) => ({ role, by_status })),
    verification_nudge: buildVerificationNudge({ ...found, totals: allTime }, deps.nudge, deps.now),
    cooldowns: filterActiveCooldowns(providers, deps.now).map(({ counted_attempts: _, ...each }) => each),
    breakers: breakers.map((each) => ({
      model: each.model,
      rejections: each.rejected_attempts.length,
      ...determineBreakerState(each, deps.now),
    })),
    revision,
    generated_at: deps.now.toISOString(),
  };
}

/** The same as long as nothing of it changes but the time at which it was asked. */
export const computeStatusEtag = ({
  generated_at: _at,
  ...rest
}: z.infer<typeof DeploymentStatusView>): string => canonicalHash(rest).slice(0, 32);
