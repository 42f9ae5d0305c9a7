import { type TestResult, testResult } from '../core/test-result.ts';
import {
  type Failure,
  type Format,
  failureOf,
  inside,
  list,
  mustList,
  object,
  testReport,
} from './report.ts';

/** `jest --json`, and the `json` reporter of vitest. A file that could not be run is a failed case of its own. */
export const jest: Format = (text, ground) => {
  const cases: TestResult[] = [];
  const failures: Failure[] = [];
  const add = (result: TestResult, line: unknown, message: unknown): void => {
    cases.push(result);
    if (result.outcome === 'failed') failures.push(failureOf(result, line, message));
  };
  for (const entry of mustList(object(JSON.parse(text))['testResults'], 'testResults')) {
    const { name, status, message, assertionResults } = object(entry);
    const file = typeof name === 'string' ? inside(ground, name) : null;
    const tests = list(assertionResults).map(object);
    for (const test of tests) {
      const parts = [...list(test['ancestorTitles']), test['title']].filter(
        (part) => typeof part === 'string',
      );
      const outcome = test['status'] === 'passed' || test['status'] === 'failed' ? test['status'] : 'skipped';
      const duration = test['duration'];
      add(
        testResult(parts.join(' > '), file, outcome, typeof duration === 'number' ? duration : null),
        object(test['location'])['line'],
        list(test['failureMessages'])[0],
      );
    }
    if (status === 'failed' && !tests.some((test) => test['status'] === 'failed'))
      add(testResult(file ?? 'a test file', file, 'failed'), null, message);
  }
  return testReport(cases, failures);
};
