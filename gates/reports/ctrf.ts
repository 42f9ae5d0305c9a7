import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createFailedTest,
  createTestReport,
  type FailedTest,
  type ReportReader,
  removeCheckoutRoot,
  requireJsonList,
  toCheckoutPath,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

/** Common Test Report Format, a JSON document. What is `pending` or `other` did not come to a result. */
export const readCtrf: ReportReader = (text, ground) => {
  const results = toJsonRecord(toJsonRecord(JSON.parse(text))['results']);
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const entry of requireJsonList(results['tests'], 'tests')) {
    const { name, status, duration, suite, filePath, message, line } = toJsonRecord(entry);
    const suites =
      typeof suite === 'string' ? [suite] : toJsonList(suite).filter((part) => typeof part === 'string');
    const result = createTestResult(
      removeCheckoutRoot([...suites, typeof name === 'string' ? name : ''].join(' > '), ground),
      typeof filePath === 'string' ? toCheckoutPath(ground, filePath) : null,
      status === 'passed' || status === 'failed' ? status : 'skipped',
      typeof duration === 'number' ? duration : null,
    );
    cases.push(result);
    if (result.outcome === 'failed') failures.push(createFailedTest(result, line, message));
  }
  return createTestReport(cases, failures);
};

/** Whether a JSON value says of itself that it is such a document. */
export const isCtrf = (value: unknown): boolean => {
  const document = toJsonRecord(value);
  return document['reportFormat'] === 'CTRF' || Array.isArray(toJsonRecord(document['results'])['tests']);
};
