import { createTestResult, type TestResult } from '../core/test-result.ts';
import { createTestReport, type FailedTest, type ReportReader } from './tool-report.ts';

/** A line of `python -m unittest -v`: name, class, and what became of it; between them a description may stand on a line of its own. */
const CASE =
  /^(\w{1,200}) \(([\w.]{1,500})\)(?:\n[^\n]{0,500})?? \.\.\. (?:[^\n]*?)(ok|FAIL|ERROR|skipped\b[^\n]*|expected failure|unexpected success)$/gm;
const END = /^Ran (\d{1,9}) tests? in [\d.]+s$/m;

const OUTCOMES: Readonly<Record<string, TestResult['outcome']>> = {
  ok: 'passed',
  FAIL: 'failed',
  ERROR: 'failed',
  'unexpected success': 'failed',
};

/** Whether a text holds the output of a run of unittest that came to its end. */
export const hasUnittestOutput = (text: string): boolean => END.test(text);

/**
 * The verbose output of unittest. Modules, classes and tests are named, files are not.
 * @throws when it names fewer tests than it says that it ran: another verbosity, or a line that something else broke.
 */
export const readUnittestOutput: ReportReader = (text) => {
  const ran = Number(END.exec(text)?.[1] ?? Number.NaN);
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const [, name = '', where = '', said = ''] of text.matchAll(CASE)) {
    // Since 3.11 the name stands behind the class too.
    const full = where.endsWith(`.${name}`) ? where : `${where}.${name}`;
    const result = createTestResult(full, null, OUTCOMES[said] ?? 'skipped');
    cases.push(result);
    if (result.outcome === 'failed') failures.push({ test: result, message: said });
  }
  if (!(cases.length >= ran)) throw new Error(`the report names ${cases.length} of ${ran} tests`);
  return createTestReport(cases, failures);
};
