import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createFailedTest,
  createTestReport,
  type FailedTest,
  type ReportReader,
  requireJsonList,
  requireStatedCount,
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
  const document = toJsonRecord(JSON.parse(text));
  const files = requireJsonList(document['testResults'], 'testResults');
  let tested = 0;
  let failedTests = 0;
  for (const entry of files) {
    const { name, status, message, assertionResults } = toJsonRecord(entry);
    const file = typeof name === 'string' ? toCheckoutPath(ground, name) : null;
    const tests = requireJsonList(assertionResults, `results of ${file ?? 'a file'}`).map(toJsonRecord);
    tested += tests.length;
    failedTests += tests.filter((test) => test['status'] === 'failed').length;
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
  requireStatedCount(document['numTotalTests'], tested, 'tests');
  requireStatedCount(document['numFailedTests'], failedTests, 'failed tests');
  requireStatedCount(
    document['numRuntimeErrorTestSuites'],
    failures.length - failedTests,
    'files that could not be run',
  );
  return createTestReport(cases, failures);
};
