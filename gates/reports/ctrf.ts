import { type TestResult, testResult } from '../core/test-result.ts';
import {
  type Failure,
  type Format,
  failureOf,
  inside,
  list,
  localName,
  mustList,
  object,
  testReport,
} from './report.ts';

/** Common Test Report Format, a JSON document. What is `pending` or `other` did not come to a result. */
export const ctrf: Format = (text, ground) => {
  const results = object(object(JSON.parse(text))['results']);
  const cases: TestResult[] = [];
  const failures: Failure[] = [];
  for (const entry of mustList(results['tests'], 'tests')) {
    const { name, status, duration, suite, filePath, message, line } = object(entry);
    const suites =
      typeof suite === 'string' ? [suite] : list(suite).filter((part) => typeof part === 'string');
    const result = testResult(
      localName([...suites, typeof name === 'string' ? name : ''].join(' > '), ground),
      typeof filePath === 'string' ? inside(ground, filePath) : null,
      status === 'passed' || status === 'failed' ? status : 'skipped',
      typeof duration === 'number' ? duration : null,
    );
    cases.push(result);
    if (result.outcome === 'failed') failures.push(failureOf(result, line, message));
  }
  return testReport(cases, failures);
};

/** Whether a JSON value says of itself that it is such a document. */
export const isCtrf = (value: unknown): boolean => {
  const document = object(value);
  return document['reportFormat'] === 'CTRF' || Array.isArray(object(document['results'])['tests']);
};
