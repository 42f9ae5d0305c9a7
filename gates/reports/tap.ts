import { createTestResult, type TestResult } from '../core/test-result.ts';
import { createTestReport, type FailedTest, type ReportReader, removeCheckoutRoot } from './tool-report.ts';

/** A test line of TAP 13 or 14; subtests are indented. */
const LINE = /^([ \t]{0,400})(not )?ok\b(?: {1,4}\d{1,9})?(?: {1,4}- | {1,4}|$)([^\n]{0,2000})$/;
/** The plan, which may say that nothing is run. */
const PLAN = /^[ \t]{0,400}1\.\.\d{1,9}/;
const DURATION = /^\s{0,400}duration_ms: ([\d.]{1,30})$/;

/** Whether a text holds output in the Test Anything Protocol. */
export const hasTap = (text: string): boolean => /^TAP version 1[34]\r?$/m.test(text);

interface TapTest {
  name: string;
  readonly outcome: TestResult['outcome'];
  duration: number | null;
  /** Whether subtests stand before it, and whether one of them failed. */
  readonly inner: 'none' | 'passed' | 'failed';
}

/**
 * Test Anything Protocol 13 and 14, among other output. A test with subtests counts only where it failed and none of them did. What is
 * to be done or skipped has not failed, whatever its line says. TAP names no files.
 */
export const readTap: ReportReader = (text, ground) => {
  if (!hasTap(text)) throw new Error('the report is no TAP');
  const lines: TapTest[] = [];
  /** Tests whose suite has not ended yet, by depth. */
  const open = new Map<number, TapTest[]>();
  let planned = false;
  for (const line of text.split(/\r?\n/)) {
    planned ||= PLAN.test(line);
    const last = lines.at(-1);
    const duration = DURATION.exec(line);
    if (duration && last) last.duration = Number(duration[1]);
    const match = LINE.exec(line);
    if (!match) continue;
    const depth = (match[1] ?? '').length;
    const { name, skipped } = described(match[3] ?? '');
    const inner = [...open.keys()].filter((each) => each > depth).flatMap((each) => take(open, each));
    for (const each of inner) each.name = `${name} > ${each.name}`;
    const test: TapTest = {
      name,
      outcome: skipped ? 'skipped' : match[2] === undefined ? 'passed' : 'failed',
      duration: null,
      inner:
        inner.length === 0 ? 'none' : inner.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'passed',
    };
    lines.push(test);
    if (depth === 0) continue;
    // Whatever contains it contains these too.
    const siblings = open.get(depth) ?? [];
    for (const each of inner) siblings.push(each);
    siblings.push(test);
    open.set(depth, siblings);
  }
  if (lines.length === 0 && !planned) throw new Error('the report has no test');
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const { name, outcome, duration, inner } of lines) {
    if (inner === 'failed' || (inner === 'passed' && outcome !== 'failed')) continue;
    const result = createTestResult(removeCheckoutRoot(name, ground), null, outcome, duration);
    cases.push(result);
    if (outcome === 'failed') failures.push({ test: result, message: 'not ok' });
  }
  return createTestReport(cases, failures);
};

function take(open: Map<number, TapTest[]>, depth: number): TapTest[] {
  const lines = open.get(depth) ?? [];
  open.delete(depth);
  return lines;
}

/** A description without its directive, and with `#` as it was written. */
function described(text: string): { readonly name: string; readonly skipped: boolean } {
  const match = /(?<!\\)# {0,4}(?:skip|todo)\b/i.exec(text);
  const plain = match ? text.slice(0, match.index) : text.replace(/(?<!\\)#.*$/, '');
  return { name: plain.replace(/\\(.)/g, '$1').trim(), skipped: match !== null };
}
