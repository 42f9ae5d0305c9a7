import { readFileSync } from 'node:fs';
import * as z from 'zod';

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  /** Skipped ones. */
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

export const OUTCOMES = ['passed', 'failed', 'skipped'] as const;
export type Counts = Record<(typeof OUTCOMES)[number], number>;

/**
 * Counts from the JSON report of vitest. A file that could not be loaded counts as one failure. When the run itself
 * failed (`exitCode`) although no test did, or left no report, that is one failure, too: it must not be overlooked.
 */
export function countTests(file: string, exitCode: number): Counts {
  let report: z.infer<typeof Report>;
  try {
    report = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const unloadable = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + unloadable;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests,
  };
}
