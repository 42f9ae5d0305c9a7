import { createTestResult, type TestResult } from '../core/test-result.ts';
import { createTestReport, type FailedTest, type ReportReader } from './tool-report.ts';

/** What a test program of Rust prints: which it is, its tests, its end. */
const PROGRAM = /^\s{1,10}(?:Running (?:unittests )?(\S{1,500}) \(|Doc-tests (\S{1,200})$)/;
const CASE = /^test (.{1,500}?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
/** Where a documentation test stands: its item names it, wherever that has moved to. */
const PLACE = / \(line \d{1,9}\)(?= -|$)/;
const END = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/;

const OUTCOMES = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' } as const;

/** Whether a text holds the output of a test program of Rust. */
export const hasCargoTestText = (text: string): boolean =>
  /^running \d{1,9} tests?$/m.test(text) && /^test result: /m.test(text);

/**
 * What `cargo test` prints for people. A test is named by its program and its path.
 * @throws when a program names other numbers of tests than it counts, or says nothing of them: it is ended from inside, or has its own
 * way to run.
 */
export const readCargoTestText: ReportReader = (text) => {
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  let program = '';
  let since = 0;
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    const start = PROGRAM.exec(line);
    if (start) {
      if (isOpen) throw new Error(`${program} does not say what it ran`);
      program = start[1] ?? `doc-tests of ${start[2]}`;
      isOpen = true;
    }
    const found = CASE.exec(line);
    if (found) {
      const outcome = OUTCOMES[found[2] as keyof typeof OUTCOMES];
      const result = createTestResult(`${program} ${found[1]?.replace(PLACE, '')}`, null, outcome);
      cases.push(result);
      if (outcome === 'failed') failures.push({ test: result, message: 'FAILED' });
    }
    const end = END.exec(line);
    if (!end) continue;
    const counted = Number(end[1]) + Number(end[2]) + Number(end[3]);
    if (cases.length - since !== counted)
      throw new Error(`${program} names ${cases.length - since} of ${counted} tests`);
    since = cases.length;
    isOpen = false;
  }
  if (isOpen || cases.length !== since) throw new Error(`${program} does not say what came of its tests`);
  if (program === '') throw new Error('no test program is named');
  return createTestReport(cases, failures);
};
