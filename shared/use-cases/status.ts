import type * as z from 'zod';
import type { StatusView } from '../api/schemas.ts';
import { canonicalHash } from '../canonical.ts';
import { coolingAt } from '../cascade/cooling.ts';
import { stateOf } from '../judging/breaker.ts';
import { summarise } from '../ledger/nudge.ts';
import type { BreakerStore } from '../store/breakers.ts';
import type { CountStore } from '../store/counts.ts';
import type { ProviderStore } from '../store/providers.ts';
import { STATUSES, type Status } from '../task/status.ts';

/** Counts by status and role, and the verification nudge, which is always there: read from counters, so as much work for many tasks as for few. */
export async function statusView(deps: {
  counts: CountStore;
  breakers: Pick<BreakerStore, 'list'>;
  /** Absent: nobody keeps how providers fare. */
  providers?: Pick<ProviderStore, 'coolings'>;
  now: Date;
  threshold: number;
  minCompletions: number;
}): Promise<z.infer<typeof StatusView>> {
  const [{ roles, nudge, revision }, breakers, providers = []] = await Promise.all([
    deps.counts.counts(),
    deps.breakers.list(),
    deps.providers?.coolings(),
  ]);
  const rows = [...roles].filter(([, row]) => Object.keys(row).length > 0);
  const byStatus = Object.fromEntries(
    STATUSES.map((status) => [status, rows.reduce((sum, [, row]) => sum + (row[status] ?? 0), 0)]),
  ) as Record<Status, number>;
  return {
    total: Object.values(byStatus).reduce((sum, number) => sum + number, 0),
    by_status: byStatus,
    per_role: rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([role, by_status]) => ({ role, by_status })),
    verification_nudge: summarise(nudge, deps.threshold, deps.minCompletions),
    cooling: coolingAt(providers, deps.now).map(({ seen: _, ...each }) => each),
    breakers: breakers.map((each) => ({
      model: each.model,
      rejections: each.rejected.length,
      ...stateOf(each, deps.now),
    })),
    revision,
    generated_at: deps.now.toISOString(),
  };
}

/** The same as long as nothing of it changes but the time at which it was asked. */
export const statusTag = ({ generated_at: _at, ...rest }: z.infer<typeof StatusView>): string =>
  canonicalHash(rest).slice(0, 32);
