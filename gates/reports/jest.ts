import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createFailedTest,
  createTestReport,
  type FailedTest,
  type ReportReader,
  requireJsonList,
  toCheckoutPath,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

/** `jest --json`, and the `json` reporter of vitest. A file that could not be run is a failed case of its own. */
export const readJest: ReportReader = (text, ground) => {
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  const add = (result: TestResult, line: unknown, message: unknown): void => {
    cases.push(result);
    if (result.outcome === 'failed') failures.push(createFailedTest(result, line, message));
  };
  for (const entry of requireJsonList(toJsonRecord(JSON.parse(text))['testResults'], 'testResults')) {
    const { name, status, message, assertionResults } = toJsonRecord(entry);
    const file = typeof name === 'string' ? toCheckoutPath(ground, name) : null;
    const tests = toJsonList(assertionResults).map(toJsonRecord);
    for (const test of tests) {
      const parts = [...toJsonList(test['ancestorTitles']), test['title']].filter(
        (part) => typeof part === 'string',
      );
      const outcome = test['status'] === 'passed' || test['status'] === 'failed' ? test['status'] : 'skipped';
      const duration = test['duration'];
      add(
        createTestResult(parts.join(' > '), file, outcome, typeof duration === 'number' ? duration : null),
        toJsonRecord(test['location'])['line'],
        toJsonList(test['failureMessages'])[0],
      );
    }
    if (status === 'failed' && !tests.some((test) => test['status'] === 'failed'))
      add(createTestResult(file ?? 'a test file', file, 'failed'), null, message);
  }
  return createTestReport(cases, failures);
};
