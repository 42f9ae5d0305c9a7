import * as z from 'zod';
import { Finding } from '../../../shared/contract/evidence/schema.ts';
import type { Outcome } from '../../../shared/contract/outcome.ts';
import { TestResult } from '../../core/test-result.ts';
import type { Execution } from '../running/execution.ts';

const KeptComplaint = Finding.extend({ key: z.string() });

/** What a check said about the base commit, as it is kept. Only what came to a result is. */
export const KeptAnswer = z.strictObject({
  schema_version: z.literal(1),
  outcome: z.enum(['passed', 'failed']),
  detail: z.string(),
  exit_code: z.number().int().nullable(),
  /** Null: there was no report, the exit code is all. */
  complaints: z.array(KeptComplaint).nullable(),
  cases: z.array(TestResult).nullable(),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

/** What a check says about the base commit. */
export interface BaseAnswer extends Omit<KeptAnswer, 'schema_version' | 'outcome'> {
  /** Other than `passed` or `failed`: nobody knows what the base is like. */
  readonly outcome: Outcome;
  /** Whether it was looked up, and not run. */
  readonly kept: boolean;
}

export const answerOf = ({ outcome, detail, ran, report, cases }: Execution): BaseAnswer => ({
  outcome,
  detail,
  exit_code: ran.exitCode,
  complaints: report === null ? null : [...report.complaints],
  cases: cases === null ? null : [...cases],
  kept: false,
});

/**
 * What is kept of an answer; null: it is none that could be relied upon another time.
 * @param mustReport a failure without a report is a tool that broke.
 */
export function keptOf({ kept, outcome, ...answer }: BaseAnswer, mustReport: boolean): KeptAnswer | null {
  if (kept || (outcome !== 'passed' && outcome !== 'failed') || answer.exit_code === null) return null;
  if (mustReport && outcome === 'failed' && answer.complaints === null) return null;
  return { schema_version: 1, outcome, ...answer };
}
