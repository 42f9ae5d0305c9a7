import type * as z from 'zod';
import type { StatusView, VerificationWindow } from '../../api/schemas.ts';
import { STATUSES, type Status } from '../../contract/task/status.ts';
import { coolingAt } from '../../control/cascade/cooling.ts';
import { type Completed, inWindow, summarise, windowBegins } from '../../control/ledger/nudge.ts';
import type { NudgeRules } from '../../control/ledger/nudge-rules.ts';
import { canonicalHash } from '../../lib/canonical.ts';
import { stateOf } from '../../reviews/judging/breaker.ts';
import type { BreakerStore } from '../../store/breakers.ts';
import type { CompletionStore } from '../../store/completions.ts';
import type { CountStore } from '../../store/counts.ts';
import type { ProviderStore } from '../../store/providers.ts';

interface NudgeDeps {
  readonly completions: Pick<CompletionStore, 'latest' | 'begunAnew'>;
  readonly nudge: NudgeRules;
  readonly now: Date;
}

/** What there is of completions in the window, and perhaps some more. */
async function completed({ completions, nudge, now }: NudgeDeps): Promise<Omit<Completed, 'ever'>> {
  const [latest, anew] = await Promise.all([
    completions.latest(windowBegins(nudge, now), nudge.nudgeWindow),
    completions.begunAnew(),
  ]);
  return { latest, anew };
}

/** The nudge with what it is made of: as much work for many tasks as for few. */
export async function verificationWindow(
  deps: NudgeDeps & { readonly counts: Pick<CountStore, 'counts'> },
): Promise<z.infer<typeof VerificationWindow>> {
  const [found, { ever }] = await Promise.all([completed(deps), deps.counts.counts()]);
  const all = { ...found, ever };
  return {
    verification_nudge: summarise(all, deps.nudge, deps.now),
    completions: inWindow(all, deps.nudge, deps.now),
    generated_at: deps.now.toISOString(),
  };
}

/** Counts by status and role, and the verification nudge, which is always there: read from counters, so as much work for many tasks as for few. */
export async function statusView(
  deps: NudgeDeps & {
    counts: Pick<CountStore, 'counts'>;
    breakers: Pick<BreakerStore, 'list'>;
    /** Absent: nobody keeps how providers fare. */
    providers?: Pick<ProviderStore, 'coolings'>;
  },
): Promise<z.infer<typeof StatusView>> {
  const [{ roles, ever, revision }, found, breakers, providers = []] = await Promise.all([
    deps.counts.counts(),
    completed(deps),
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
    verification_nudge: summarise({ ...found, ever }, deps.nudge, deps.now),
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
