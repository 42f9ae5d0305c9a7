import { VerificationNudgeRules } from './nudge-rules.ts';
import type { VerificationNudge } from './verification-nudge-schema.ts';

/** How many of the latest unverified tasks are named. */
export const MAX_LISTED_UNVERIFIED_TASKS = 5;

/** A task came to its goal. */
export interface TaskCompletion {
  readonly task_id: string;
  readonly at: string;
  readonly verified: boolean;
}

/** A person has said that what was before says nothing of what comes. */
export interface VerificationNudgeReset {
  readonly at: string;
  readonly by: string;
  readonly reason: string;
}

/** What is known of completions. */
export interface CompletionHistory {
  /** The newest first: at least those of the window. */
  readonly latest: readonly TaskCompletion[];
  readonly reset: VerificationNudgeReset | null;
  /** All that there ever were. */
  readonly totals: { readonly verified: number; readonly unverified: number };
}

/** The time after which completions are looked at, whatever their number. */
export const nudgeWindowStart = (rules: Pick<VerificationNudgeRules, 'nudgeWindowDays'>, now: Date): string =>
  new Date(now.getTime() - rules.nudgeWindowDays * 86_400_000).toISOString();

/** The completions that are looked at: the latest `nudgeWindow`, none older than `nudgeWindowDays`, none from before a person began anew. */
export function completionsInWindow(
  { latest, reset }: CompletionHistory,
  rules: VerificationNudgeRules,
  now: Date,
): TaskCompletion[] {
  const begins = nudgeWindowStart(rules, now);
  return latest
    .filter(({ at }) => at >= begins && (reset === null || at > reset.at))
    .toSorted((a, b) => (a.at < b.at || (a.at === b.at && a.task_id < b.task_id) ? 1 : -1))
    .slice(0, rules.nudgeWindow);
}

/**
 * The seed's summary, of the completions in the window. unverified_ratio = unverified / all, null of none. The comparison is strict and
 * needs a minimum of completions, so that one unverified task of one is no alarm.
 */
export function buildVerificationNudge(
  completed: CompletionHistory,
  rules: VerificationNudgeRules = VerificationNudgeRules.parse({}),
  now = new Date(),
): VerificationNudge {
  const counted = completionsInWindow(completed, rules, now);
  const unverified = counted.filter(({ verified }) => !verified);
  const total = counted.length;
  const ratio = total === 0 ? null : unverified.length / total;
  return {
    total_completions: total,
    verified_count: total - unverified.length,
    unverified_count: unverified.length,
    unverified_ratio: ratio === null ? null : Math.round(ratio * 1_000) / 1_000,
    threshold_exceeded: ratio !== null && total >= rules.nudgeMinCompletions && ratio > rules.nudgeThreshold,
    nudge_threshold: rules.nudgeThreshold,
    min_completions: rules.nudgeMinCompletions,
    recent_unverified: unverified.slice(0, MAX_LISTED_UNVERIFIED_TASKS).map(({ task_id }) => task_id),
    window: {
      completions: rules.nudgeWindow,
      days: rules.nudgeWindowDays,
      oldest: counted.at(-1)?.at ?? null,
      reset: completed.reset,
    },
    all_time: completed.totals,
  };
}
