import { readFileSync } from 'node:fs';
import * as z from 'zod';

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  /** Skipped ones. */
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string().default(''),
      message: z.string().default(''),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string().default(''),
          failureMessages: z.array(z.string()).default([]),
        }),
      ),
    }),
  ),
});

export const TEST_OUTCOMES = ['passed', 'failed', 'skipped'] as const;
export type TestCounts = Record<(typeof TEST_OUTCOMES)[number], number>;

type Tests = z.infer<typeof Report>['testResults'][number];
const isUnloadable = ({ status, assertionResults }: Tests): boolean =>
  status === 'failed' && !assertionResults.some((each) => each.status === 'failed');

function read(file: string): z.infer<typeof Report> | null {
  try {
    return Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Counts from the JSON report of vitest. A file that could not be loaded counts as one failure. When the run itself
 * failed (`exitCode`) although no test did, or left no report, that is one failure, too: it must not be overlooked.
 */
export function countTests(file: string, exitCode: number): TestCounts {
  const report = read(file);
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const failed = report.numFailedTests + report.testResults.filter(isUnloadable).length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests,
  };
}

/** Lines of a failure's message that are said again at the end of a long output. */
const LINES = 12;
const firstLines = (text: string): string => text.split('\n').slice(0, LINES).join('\n');

/** What has failed, with the beginning of why: the end of a long output is all that some readers see. */
export const listFailures = (file: string): string[] =>
  (read(file)?.testResults ?? []).flatMap((tests) =>
    isUnloadable(tests)
      ? [`${tests.name}\n${firstLines(tests.message)}`]
      : tests.assertionResults
          .filter(({ status }) => status === 'failed')
          .map(
            ({ fullName, failureMessages }) =>
              `${tests.name}: ${fullName}\n${firstLines(failureMessages.join('\n'))}`,
          ),
  );
