import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createTestReport,
  type FailedTest,
  parseJsonLinesStrictly,
  type ReportReader,
} from './tool-report.ts';

/** A place inside the package's folder, as `testing` prints it before a message. */
const PLACE = /^\s{1,16}([\w.-]{1,200}\.go):(\d{1,9}): (.{0,2000})$/;

/** What a test binary prints at the end of a test. With `-v` the event is lost where other output stands before it on its line. */
const END = /--- (PASS|FAIL|SKIP): (\S{1,1000}) \(/;
const PRINTED: Readonly<Record<string, TestResult['outcome']>> = {
  PASS: 'passed',
  FAIL: 'failed',
  SKIP: 'skipped',
};

const OUTCOMES: Readonly<Record<string, TestResult['outcome']>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
};

/** What is known of one test, or of a package as a whole. */
interface GoTestState {
  readonly result: TestResult;
  readonly isPackage: boolean;
}

/**
 * `go test -json`: each test, and each package that failed without one, e.g. because it does not compile. Reports name packages, not
 * folders, so no test has a file. A test that only fails because one inside of it does says nothing more.
 * @throws when a package has no end, or a test has none in a package that passed.
 */
export const readGoTest: ReportReader = (text) => {
  const events = parseJsonLinesStrictly(text);
  if (!events.some(({ Action }) => Action === 'start')) throw new Error('no package was started');
  const said = new Map<string, string[]>();
  const known = new Map<string, GoTestState>();
  const unfinished = new UnfinishedTests();
  const blamed = new Set<string>();
  for (const { Action, Package, Test, Output, Elapsed } of events) {
    if (typeof Package !== 'string') continue;
    const isPackage = typeof Test !== 'string';
    const id = isPackage ? Package : `${Package}.${Test}`;
    if (Action === 'output' && typeof Output === 'string') {
      const lines = said.get(id) ?? [];
      lines.push(Output);
      if (lines.length > 50) lines.shift();
      said.set(id, lines);
    }
    const outcome = typeof Action === 'string' ? OUTCOMES[Action] : undefined;
    unfinished.add(Package, isPackage ? null : Test, { action: Action, output: Output, outcome });
    if (outcome === 'failed' && isPackage)
      for (const test of unfinished.take(Package)) {
        blamed.add(Package);
        known.set(`${Package}.${test}`, {
          result: createTestResult(`${Package}.${test}`, null, 'failed'),
          isPackage: false,
        });
      }
    if (outcome === undefined || (isPackage && (outcome !== 'failed' || blamed.has(Package)))) continue;
    if (outcome === 'failed') blamed.add(Package);
    const elapsed = typeof Elapsed === 'number' ? Elapsed * 1_000 : null;
    known.set(id, { result: createTestResult(id, null, outcome, elapsed), isPackage });
  }
  for (const [id, outcome] of unfinished.printed)
    if (!known.has(id)) known.set(id, { result: createTestResult(id, null, outcome), isPackage: false });
  unfinished.requireNone();
  const outer = new Set(
    [...known].flatMap(([id, { result }]) => (result.outcome === 'failed' ? parentsOf(id) : [])),
  );
  const failures = [...known].flatMap(([id, { result, isPackage }]): FailedTest[] => {
    if (result.outcome !== 'failed' || outer.has(id)) return [];
    const match = (said.get(id) ?? [])
      .map((line) => PLACE.exec(line.trimEnd()))
      .find((each) => each !== null);
    const message = match?.[3] ?? said.get(id)?.at(-1)?.trim() ?? '';
    return [
      {
        test: result,
        message: match ? `${message} (${match[1]}:${match[2]})` : message,
        rule: isPackage ? 'package_failed' : 'test_failed',
      },
    ];
  });
  // A package that failed by itself has run no test.
  const cases = [...known.values()].flatMap(({ result, isPackage }) => (isPackage ? [] : [result]));
  return createTestReport(cases, failures);
};

interface GoTestEvent {
  readonly action: unknown;
  readonly output: unknown;
  readonly outcome: TestResult['outcome'] | undefined;
}

/** Follows packages and tests from their start to their end. */
class UnfinishedTests {
  /** Outcomes that are printed in the middle of other output, by package and test. */
  readonly printed = new Map<string, TestResult['outcome']>();
  readonly #tests = new Map<string, Set<string>>();
  readonly #packages = new Set<string>();

  add(pack: string, test: string | null, { action, output, outcome }: GoTestEvent): void {
    const tests = this.#tests.get(pack) ?? new Set();
    this.#tests.set(pack, tests);
    if (test === null && action === 'start') this.#packages.add(pack);
    if (test === null && outcome !== undefined) this.#packages.delete(pack);
    if (test !== null && action === 'run') tests.add(test);
    if (test !== null && outcome !== undefined) tests.delete(test);
    const end = action === 'output' && typeof output === 'string' ? END.exec(output) : null;
    const [, word = '', ended = ''] = end ?? [];
    const printed = PRINTED[word];
    if (printed !== undefined && tests.delete(ended)) this.printed.set(`${pack}.${ended}`, printed);
  }

  /** Removes and returns the tests of a package that have not ended. */
  take(pack: string): string[] {
    const tests = [...(this.#tests.get(pack) ?? [])];
    this.#tests.delete(pack);
    return tests;
  }

  /** @throws when something has not ended. */
  requireNone(): void {
    const [pack] = this.#packages;
    if (pack !== undefined) throw new Error(`package ${pack} did not come to its end`);
    for (const [of, [test]] of this.#tests)
      if (test !== undefined) throw new Error(`test ${of}.${test} did not come to its end`);
  }
}

/** Names of the tests that a subtest is in: `a.T/b/c` is in `a.T/b` and `a.T`; slashes of the package do not count. */
function parentsOf(id: string): string[] {
  const from = id.indexOf('.Test');
  const parents: string[] = [];
  for (let at = id.indexOf('/', Math.max(0, from)); from >= 0 && at >= 0; at = id.indexOf('/', at + 1))
    parents.push(id.slice(0, at));
  return parents;
}
