import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createFailedTest,
  createTestReport,
  type FailedTest,
  type ReportReader,
  removeCheckoutRoot,
  requireJsonList,
  requireStatedCount,
  toCheckoutPath,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

const STATUSES: Readonly<Record<string, TestResult['outcome']>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  other: 'skipped',
};

/** Common Test Report Format, a JSON document. What is `pending` or `other` did not come to a result. */
export const readCtrf: ReportReader = (text, ground) => {
  const results = toJsonRecord(toJsonRecord(JSON.parse(text))['results']);
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const entry of requireJsonList(results['tests'], 'tests')) {
    const { name, status, duration, suite, filePath, message, line } = toJsonRecord(entry);
    const outcome = STATUSES[String(status)];
    if (outcome === undefined) throw new Error(`a test has the status ${String(status)}`);
    const suites =
      typeof suite === 'string' ? [suite] : toJsonList(suite).filter((part) => typeof part === 'string');
    const result = createTestResult(
      removeCheckoutRoot([...suites, typeof name === 'string' ? name : ''].join(' > '), ground),
      typeof filePath === 'string' ? toCheckoutPath(ground, filePath) : null,
      outcome,
      typeof duration === 'number' ? duration : null,
    );
    cases.push(result);
    if (result.outcome === 'failed') failures.push(createFailedTest(result, line, message));
  }
  const summary = toJsonRecord(results['summary']);
  requireStatedCount(summary['tests'], cases.length, 'tests');
  requireStatedCount(summary['failed'], failures.length, 'failed tests');
  return createTestReport(cases, failures);
};

/** Whether a JSON value says of itself that it is such a document. */
export const isCtrf = (value: unknown): boolean => {
  const document = toJsonRecord(value);
  return document['reportFormat'] === 'CTRF' || Array.isArray(toJsonRecord(document['results'])['tests']);
};
