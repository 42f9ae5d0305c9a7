import {
  type FileChangeOutcome,
  type FileChangeOutcomeCounts,
  SCORED_FILE_CHANGE_OUTCOMES,
} from './file-change-outcomes.ts';

/** 0 to 100; null: nothing is known of it. */
export interface HealthScores {
  readonly bug_density_score: number | null;
  readonly findings_score: number | null;
  readonly flaky_score: number | null;
  readonly churn_score: number;
}

/** The seed's weights for bugs and churn; findings and flaky tests stand where it reads the code (complexity, coverage, coupling). */
export const HEALTH_SCORE_WEIGHTS = {
  bug_density_score: 0.35,
  findings_score: 0.3,
  flaky_score: 0.2,
  churn_score: 0.15,
} as const satisfies Record<keyof HealthScores, number>;
const NAMES = Object.keys(HEALTH_SCORE_WEIGHTS) as (keyof HealthScores)[];

const WINDOW_MS = 30 * 86_400_000;
const bounded = (value: number): number => Math.max(0, Math.min(100, Math.round(value)));

/**
 * bug_density = 100 (1 - (rejected + reverted) / (accepted + rejected)), of all touches; findings = 100 - 10 mean of new findings in the
 * latest 20 touches; flaky = 100 - 25 most flaky tests in a touch of the last 30 days; churn = 100 - 5 touches of the last 30 days.
 * Each is at least 0. @param latest up to 20 touches before `at`, the oldest first
 */
export function computeHealthScores(
  all: FileChangeOutcomeCounts,
  latest: readonly FileChangeOutcome[],
  at: number,
): HealthScores {
  const judged = all.accepted + all.rejected;
  const recent = latest.slice(-SCORED_FILE_CHANGE_OUTCOMES);
  const looked = recent.filter(({ outcome }) => outcome !== 'reverted');
  const lately = recent.filter((each) => Date.parse(each.at) > at - WINDOW_MS);
  const found = looked.reduce((sum, { findings }) => sum + findings, 0);
  return {
    bug_density_score: judged === 0 ? null : bounded(100 * (1 - (all.rejected + all.reverted) / judged)),
    findings_score: looked.length === 0 ? null : bounded(100 - (10 * found) / looked.length),
    flaky_score:
      looked.length === 0 ? null : bounded(100 - 25 * Math.max(0, ...lately.map(({ flaky }) => flaky))),
    churn_score: bounded(100 - 5 * lately.length),
  };
}

/** The mean of those that are known, by their weights. */
export function totalHealthScore(scores: HealthScores): number {
  const known = NAMES.flatMap((name) => {
    const score = scores[name];
    return score === null ? [] : [{ score, weight: HEALTH_SCORE_WEIGHTS[name] }];
  });
  const weight = known.reduce((sum, each) => sum + each.weight, 0);
  return Math.round(known.reduce((sum, each) => sum + each.score * each.weight, 0) / weight);
}

export type HealthGrade = 'A' | 'B' | 'C' | 'D' | 'F';
export const HEALTH_GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
/** A from 90, B from 80, C from 70, D from 60. */
export const healthGrade = (total: number): HealthGrade =>
  total >= 90 ? 'A' : total >= 80 ? 'B' : total >= 70 ? 'C' : total >= 60 ? 'D' : 'F';

const LOW = 60;
const DROP = 10;
/** Why a file is to be looked at: it is below 60, or 10 less than before. */
export const FILE_FLAG_REASONS = ['low', 'fell'] as const;
export const findFileFlagReason = (
  total: number,
  before: number | null,
): (typeof FILE_FLAG_REASONS)[number] | null =>
  total < LOW ? 'low' : before !== null && before > 0 && before - total >= DROP ? 'fell' : null;
