import { isNamed } from '../../core/test-result.ts';
import { inOutput } from '../../reports/any.ts';
import type { Report } from '../../reports/report.ts';

/** Results of single tests, from a report of a test command. */
export interface FailedTests {
  /** Whether a test of this name, or all of a file of this name, failed. */
  failed(name: string): boolean;
}

/** What a report says; null when it names no tests. */
export function failedTests(report: Report | null): FailedTests | null {
  if (report === null || report.cases === null) return null;
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
  // What failed without a test, such as a package that does not compile, is only complained about.
  const all = [...failed, ...report.complaints.flatMap(({ test }) => test ?? [])];
  return { failed: (name) => all.some((each) => isNamed(each, name) || each === name) };
}

/** Results in the output of a command: TAP or JUnit XML; null when it has neither, or not all of it is there. */
export const failedIn = async (output: string, cutBytes: number): Promise<FailedTests | null> =>
  failedTests(await inOutput(output, cutBytes, ''));
