import * as z from 'zod';
import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import { CheckFinding } from '../../../shared/contract/evidence/schema.ts';
import { TestResult } from '../../core/test-result.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';

const CachedToolFinding = CheckFinding.extend({ key: z.string() });

/** What a check said about the base commit, as it is kept. Only what came to a result is. */
export const CachedBaselineResult = z.strictObject({
  schema_version: z.literal(1),
  outcome: z.enum(['passed', 'failed']),
  detail: z.string(),
  exit_code: z.number().int().nullable(),
  /** How long it took by the clock. */
  duration_ms: z.number().nonnegative(),
  /** Null: there was no report, the exit code is all. */
  findings: z.array(CachedToolFinding).nullable(),
  cases: z.array(TestResult).nullable(),
});
export type CachedBaselineResult = z.infer<typeof CachedBaselineResult>;

/** What a check says about the base commit. */
export interface BaselineResult extends Omit<CachedBaselineResult, 'schema_version' | 'outcome'> {
  /** Other than `passed` or `failed`: nobody knows what the base is like. */
  readonly outcome: CheckOutcome;
  /** Whether it was looked up, and not run. */
  readonly isCached: boolean;
}

export const buildBaselineResult = ({
  outcome,
  detail,
  processResult,
  report,
  cases,
}: CompletedCommandRun): BaselineResult => ({
  outcome,
  detail,
  exit_code: processResult.exitCode,
  duration_ms: processResult.durationMs,
  findings: report === null ? null : [...report.findings],
  cases: cases === null ? null : [...cases],
  isCached: false,
});

/**
 * What is kept of an answer; null: it is none that could be relied upon another time.
 * @param mustReport a failure without a report is a tool that broke.
 */
export function toCachedBaselineResult(
  { isCached, outcome, ...answer }: BaselineResult,
  mustReport: boolean,
): CachedBaselineResult | null {
  if (isCached || (outcome !== 'passed' && outcome !== 'failed') || answer.exit_code === null) return null;
  if (mustReport && outcome === 'failed' && answer.findings === null) return null;
  return { schema_version: 1, outcome, ...answer };
}
