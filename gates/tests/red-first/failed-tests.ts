import { isPossibleSourceName } from '../../core/test-result.ts';
import { findReportInOutput } from '../../reports/read-any-report.ts';
import type { ToolReport } from '../../reports/tool-report.ts';

/** Results of single tests, from a report of a test command. */
export interface FailedTestLookup {
  /** Whether a test of this name, or all of a file of this name, failed. */
  hasFailed(name: string): boolean;
}

/** What a report says; null when it names no tests. */
export function createFailedTestLookup(report: ToolReport | null): FailedTestLookup | null {
  if (report === null || report.cases === null) return null;
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
  // What failed without a test, such as a package that does not compile, is only complained about.
  const all = [...failed, ...report.findings.flatMap(({ test }) => test ?? [])];
  return { hasFailed: (name) => all.some((each) => isPossibleSourceName(each, name) || each === name) };
}

/** Results in the output of a command: TAP or JUnit XML; null when it has neither, or not all of it is there. */
export const readFailedTests = async (output: string, cutBytes: number): Promise<FailedTestLookup | null> =>
  createFailedTestLookup((await findReportInOutput(output, cutBytes, '')).report);
