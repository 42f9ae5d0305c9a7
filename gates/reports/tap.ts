import { createTestResult, type TestResult } from '../core/test-result.ts';
import { createTestReport, type FailedTest, type ReportReader, removeCheckoutRoot } from './tool-report.ts';

/** A test line of TAP 13 or 14; subtests are indented. */
const LINE = /^([ \t]{0,400})(not )?ok\b(?: {1,4}\d{1,9})?(?: {1,4}- | {1,4}|$)([^\n]{0,2000})$/;
/** The plan, which may say that nothing is run. */
const PLAN = /^([ \t]{0,400})1\.\.(\d{1,9})/;
const START = /^TAP version 1[34]$/;
const BAIL_OUT = /^[ \t]{0,400}Bail out!(.{0,500})/i;
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
 * @throws when the run bailed out, has no plan, or ran another number of tests than planned.
 */
export const readTap: ReportReader = (text, ground) => {
  if (!hasTap(text)) throw new Error('the report is no TAP');
  const lines: TapTest[] = [];
  /** Tests whose suite has not ended yet, by depth. */
  const open = new Map<number, TapTest[]>();
  const plans = new PlanCheck();
  for (const line of text.split(/\r?\n/)) {
    if (START.test(line)) plans.startDocument();
    const bailOut = BAIL_OUT.exec(line);
    if (bailOut) throw new Error(`the tests bailed out:${bailOut[1]}`);
    const plan = PLAN.exec(line);
    if (plan) plans.addPlan((plan[1] ?? '').length, Number(plan[2]));
    const last = lines.at(-1);
    const duration = DURATION.exec(line);
    if (duration && last) last.duration = Number(duration[1]);
    const match = LINE.exec(line);
    if (!match) continue;
    const depth = (match[1] ?? '').length;
    plans.addTest(depth);
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
  if (lines.length === 0 && !plans.hasPlan) throw new Error('the report has no test');
  plans.endDocument();
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

/** Compares the plans of a document and of its subtests with the tests that ran. */
class PlanCheck {
  hasPlan = false;
  /** Tests and plan by depth, for what has not ended yet. */
  readonly #open = new Map<number, { tests: number; planned: number | null }>();
  #isOpen = false;

  startDocument(): void {
    if (this.#isOpen) this.endDocument();
    this.#isOpen = true;
  }

  addPlan(depth: number, planned: number): void {
    this.hasPlan = true;
    this.#at(depth).planned ??= planned;
  }

  addTest(depth: number): void {
    for (const each of [...this.#open.keys()]) if (each > depth) this.#close(each);
    this.#at(depth).tests++;
  }

  /** @throws when a plan is missing or was not kept. */
  endDocument(): void {
    for (const depth of [...this.#open.keys()]) if (depth > 0) this.#close(depth);
    if (this.#at(0).planned === null) throw new Error('the report ends without a plan');
    this.#close(0);
    this.#isOpen = false;
  }

  #at(depth: number): { tests: number; planned: number | null } {
    const state = this.#open.get(depth) ?? { tests: 0, planned: null };
    this.#open.set(depth, state);
    return state;
  }

  #close(depth: number): void {
    const { tests, planned } = this.#at(depth);
    this.#open.delete(depth);
    if (planned !== null && planned !== tests) throw new Error(`${tests} of ${planned} planned tests ran`);
  }
}

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
