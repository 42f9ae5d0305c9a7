import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createTestReport,
  type FailedTest,
  parseJsonLines,
  type ReportReader,
  requireStatedCount,
} from './tool-report.ts';

/** Names of the lines that stand for many things at once, of which cargo tells an exit code only. */
const GROUPS: ReadonlySet<string> = new Set(['doctests', 'examples']);

const OUTCOMES: Readonly<Record<string, TestResult['outcome']>> = {
  ok: 'passed',
  failed: 'failed',
  timeout: 'failed',
  ignored: 'skipped',
};

/**
 * Events of Rust's own test runner, one JSON object per line, of all test programs one after the other. A program that was ended in
 * the middle leaves no report.
 */
export const readCargoTestJson: ReportReader = (text) => {
  const events = parseJsonLines(text);
  const of = (event: string): number =>
    events.filter((each) => each['type'] === 'suite' && each['event'] === event).length;
  if (of('started') === 0) throw new Error('no test program was started');
  if (of('started') !== of('ok') + of('failed')) throw new Error('a test program ended in the middle');
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const { type, event, name, exec_time, stdout } of events) {
    const outcome = typeof event === 'string' ? OUTCOMES[event] : undefined;
    if (type !== 'test' || outcome === undefined || typeof name !== 'string') continue;
    const result = createTestResult(
      name,
      null,
      outcome,
      typeof exec_time === 'number' ? exec_time * 1_000 : null,
    );
    cases.push(result);
    if (outcome === 'failed')
      failures.push({
        test: result,
        message: saidIn(stdout),
        // Nobody knows which of them it was.
        rule: GROUPS.has(name) ? 'some_tests_failed' : 'test_failed',
      });
  }
  const sum = (event: readonly unknown[], key: string): number =>
    events
      .filter((each) => each['type'] === 'suite' && event.includes(each['event']))
      .reduce((total, each) => total + (typeof each[key] === 'number' ? each[key] : 0), 0);
  const isNamed = ({ name }: TestResult): boolean => !GROUPS.has(name);
  requireStatedCount(sum(['started'], 'test_count'), cases.filter(isNamed).length, 'tests');
  requireStatedCount(
    sum(['ok', 'failed'], 'failed'),
    failures.filter(({ test }) => isNamed(test)).length,
    'failed tests',
  );
  return createTestReport(cases, failures);
};

/** What a panic says, without its place in the sources of the standard library. */
const saidIn = (stdout: unknown): string =>
  typeof stdout === 'string'
    ? stdout
        .slice(0, 4_000)
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('thread '))
        .slice(0, 3)
        .join(' ')
    : '';
