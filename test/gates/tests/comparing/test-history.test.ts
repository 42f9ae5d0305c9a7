import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_FLAKY_HISTORY,
  FlakyTestHistory,
  listRunsOfTest,
  recordTestRunOutcomes,
  type TestRunOutcomes,
} from '../../../../gates/tests/comparing/test-history.ts';

const SETTINGS = { minRuns: 5, threshold: 0.15 };

let count = 0;
const observed = (
  source: string,
  failed: string[],
  passed: string[],
  id = `run ${++count}`,
): TestRunOutcomes => ({
  id,
  at: new Date(Date.parse('2026-11-22T00:00:00Z') + count * 60_000).toISOString(),
  source,
  tree: 't',
  failed: new Set(failed),
  passed: new Set(passed),
});

/** Records runs one after the other; `x:f` means that x failed for source `f`. */
function story(runs: readonly TestRunOutcomes[]) {
  let history: FlakyTestHistory = EMPTY_FLAKY_HISTORY;
  const entered: string[] = [];
  const released: string[] = [];
  for (const run of runs) {
    const step = recordTestRunOutcomes(history, run, SETTINGS);
    history = step.history;
    entered.push(...step.newlyQuarantined);
    released.push(...step.released);
  }
  return { history, entered, released };
}
const passes = (times: number, source = 'p'): TestRunOutcomes[] =>
  Array.from({ length: times }, (_, at) => observed(`${source}${at}`, [], ['x']));

describe('the history of the tests', () => {
  test('keeps nothing of a test that never failed', () => {
    expect(story(passes(3)).history).toMatchObject({ runs: [{}, {}, {}], tests: {} });
  });

  test('puts a test into quarantine, says so once, and lets it out again, saying so once', () => {
    const into = [...passes(5), observed('a', ['x'], []), observed('b', ['x'], [])];
    const first = story(into);
    expect(first).toMatchObject({ entered: ['x'], released: [] });
    expect(first.history.tests['x']?.quarantined).toBe(first.history.runs.at(-1)?.at);
    const out = story([...into, ...passes(19, 'q')]);
    expect(out.released).toEqual([]);
    const later = story([...into, ...passes(40, 'r')]);
    expect(later).toMatchObject({ entered: ['x'], released: ['x'] });
    expect(later.history.tests['x']?.quarantined).toBeNull();
  });

  test('does not count runs that say nothing about a test', () => {
    const { history } = story([observed('a', ['x'], []), observed('b', [], []), observed('c', [], ['x'])]);
    const kept = history.tests['x'];
    expect(kept && listRunsOfTest(history, kept).map(({ failed, source }) => [failed, source])).toEqual([
      [true, 'a'],
      [false, 'c'],
    ]);
  });

  test('forgets a failure with its run', () => {
    const { history } = story([observed('a', ['x'], []), ...passes(50)]);
    expect(history.runs).toHaveLength(50);
    expect(history.tests).toEqual({});
  });

  test('stays bounded, and is what can be read again', () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      observed(
        `s${at}`,
        Array.from({ length: 40 }, (_unused, index) => `t${at}-${index}`),
        ['x'],
      ),
    );
    const { history } = story(many);
    expect(history.runs).toHaveLength(50);
    expect(Object.keys(history.tests)).toHaveLength(500);
    expect(Object.keys(history.tests)).toContain('t59-0');
    expect(FlakyTestHistory.parse(JSON.parse(JSON.stringify(history)))).toEqual(history);
  });

  test('is the same after a run that is recorded twice', () => {
    const anyRun = fc.record({
      source: fc.constantFrom('a', 'b', 'c'),
      failed: fc.subarray(['x', 'y']),
      passed: fc.subarray(['x', 'y', 'z']),
    });
    fc.assert(
      fc.property(fc.array(anyRun, { minLength: 1, maxLength: 30 }), (given) => {
        const runs = given.map(({ source, failed, passed }) => observed(source, failed, passed));
        const once = story(runs);
        const twice = story(runs.flatMap((run) => [run, run]));
        expect(twice).toEqual(once);
        const last = runs.at(-1);
        if (last) expect(recordTestRunOutcomes(once.history, last, SETTINGS).history).toBe(once.history);
      }),
    );
  });

  test('takes no test into quarantine for one task, whatever it does', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (outcomes) => {
        const runs = outcomes.map((failed) => observed('task:own', failed ? ['x'] : [], failed ? [] : ['x']));
        expect(story([...passes(5), ...runs]).entered).toEqual([]);
      }),
    );
  });
});
