import { createTestResult, type TestResult } from '../core/test-result.ts';
import { createTestReport, type FailedTest, type ReportReader, requireStatedCount } from './tool-report.ts';

/** The start of a test in the output of `python -m unittest -v`: name and class, and a description on a line of its own. */
const START = /^(\w{1,200}) \(([\w.]{1,500})\)(?:\n[^\n]{0,500})?? \.\.\. /gm;
/** The result of a test at the end of a line. Output of the code under test may stand before it, also on lines of its own. */
const RESULT = /(ok|FAIL|ERROR|skipped\b[^\n]{0,1000}|expected failure|unexpected success)$/;
const SUBTEST_PROBLEM = /^ {2}\w{1,200} \([^\n]{1,2000} \.\.\. [^\n]*?(?:FAIL|ERROR)$/m;
/** What follows the last test. */
const SUMMARY = /^(?:={70}|-{70})$/m;
const END = /^Ran (\d{1,9}) tests? in [\d.]+s$/m;
/** The last line, with counts in parentheses. */
const LAST = /^(?:OK|FAILED)(?: \(([^\n)]{1,500})\))?$/gm;
/** Hooks of classes and modules have results, and are not counted as tests. */
const HOOK = /^(?:setUp|tearDown)(?:Class|Module)$/;

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
 * @throws when it names fewer tests or failures than it states: another verbosity, or a result that other output has torn.
 */
export const readUnittestOutput: ReportReader = (text) => {
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  let tests = 0;
  const starts = [...text.matchAll(START)];
  for (const [at, { 0: whole, 1: name = '', 2: where = '', index }] of starts.entries()) {
    const rest = text.slice(index + whole.length, starts[at + 1]?.index);
    const said = findResult(at === starts.length - 1 ? (rest.split(SUMMARY, 1)[0] ?? '') : rest);
    if (said === null) continue;
    // Since 3.11 the name stands behind the class too.
    const full = where.endsWith(`.${name}`) ? where : `${where}.${name}`;
    const result = createTestResult(full, null, OUTCOMES[said] ?? 'skipped');
    cases.push(result);
    if (!HOOK.test(name)) tests++;
    if (result.outcome === 'failed') failures.push({ test: result, message: said });
  }
  requireStatedCount(Number(END.exec(text)?.[1]), tests, 'tests');
  if (END.exec(text) === null) throw new Error('the report does not state how many tests ran');
  if (statedProblems(text) > 0 && failures.length === 0) throw new Error('the report names no failed test');
  return createTestReport(cases, failures);
};

/** The result in what follows the start of a test; null: there is none. A failed subtest fails its test. */
function findResult(text: string): string | null {
  if (SUBTEST_PROBLEM.test(text)) return 'FAIL';
  for (const line of text.trimEnd().split('\n').reverse()) {
    const result = RESULT.exec(line)?.[1];
    if (result !== undefined) return result;
  }
  return null;
}

/** Failures, errors and unexpected successes of the last line. */
function statedProblems(text: string): number {
  const counts = [...text.matchAll(LAST)].at(-1)?.[1] ?? '';
  return [...counts.matchAll(/(?:failures|errors|unexpected successes)=(\d{1,9})/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}
