import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeFlakinessScore,
  isFlaky,
  shouldQuarantine,
  shouldReleaseFromQuarantine,
  type TestCaseRunRecord,
} from '../../../../gates/tests/comparing/test-history.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-11-22T00:00:00Z');
const SETTINGS = { minRuns: 5, threshold: 0.15 };

const run = (failed: boolean, days = 0, source = 'a'): TestCaseRunRecord => ({
  failed,
  at: NOW - days * DAY,
  source,
});
const runs = (text: string, days = 0): TestCaseRunRecord[] =>
  [...text].map((letter, at) => run(letter !== '.', days, letter === '.' ? `pass ${at}` : letter));

const anyRun = fc.record({
  failed: fc.boolean(),
  at: fc.integer({ min: NOW - 30 * DAY, max: NOW }),
  source: fc.constantFrom('a', 'b', 'c'),
});

describe('the score of a test', () => {
  test.each([
    ['no runs', [], 0],
    ['all passed', runs('.....'), 0],
    ['all failed', runs('aaaaa'), 1],
    ['one of four', runs('a...'), 0.25],
    ['an old failure among new runs', [run(true, 8), run(false), run(false)], 0.2],
    ['a new failure among old runs', [run(true), run(false, 8), run(false, 8)], 0.5],
    ['a failure of exactly seven days', [run(true, 7), run(false)], 0.5],
  ])('%s', (_, given, expected) => {
    expect(computeFlakinessScore(given, NOW)).toBeCloseTo(expected);
  });

  test('lies between 0 and 1, and does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(anyRun), (given) => {
        const score = computeFlakinessScore(given, NOW);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(computeFlakinessScore(given.toReversed(), NOW)).toBeCloseTo(score);
      }),
    );
  });

  test('never rises with a pass and never falls with a failure', () => {
    fc.assert(
      fc.property(fc.array(anyRun, { minLength: 1 }), anyRun, (given, more) => {
        const before = computeFlakinessScore(given, NOW);
        const after = computeFlakinessScore([...given, more], NOW);
        if (more.failed) expect(after).toBeGreaterThanOrEqual(before - 1e-9);
        else expect(after).toBeLessThanOrEqual(before + 1e-9);
      }),
    );
  });
});

test.each([
  ['too few runs', 'a...', false],
  ['enough of them', 'a....', true],
  ['only failures', 'aaaaa', false],
  ['only passes', '.....', false],
  ['few failures', 'a.......', false],
])('a test with %s is flaky: %s', (_, text, expected) => {
  expect(isFlaky(runs(text), NOW, SETTINGS)).toBe(expected);
});

describe('quarantine', () => {
  test.each([
    ['failures of one source', 'aaa.......', false],
    ['failures of two sources', 'ab......', true],
    ['failures of two, one of which carries it', 'aaab...............', false],
    ['failures of three sources', 'abc.......', true],
    ['too few runs without one of them', 'ab...', false],
  ])('begins with %s: %s', (_, text, expected) => {
    expect(shouldQuarantine(runs(text), NOW, { minRuns: 5, threshold: 0.14 })).toBe(expected);
  });

  test('begins with nothing that one source does alone', () => {
    fc.assert(
      fc.property(fc.array(anyRun), fc.array(fc.integer({ min: 0, max: 20 })), (given, days) => {
        const others = given.filter(({ source, failed }) => source !== 'a' && !failed);
        const own = days.map((each) => run(true, each, 'a'));
        expect(shouldQuarantine([...others, ...own], NOW, SETTINGS)).toBe(false);
      }),
    );
  });

  test('would have begun without any one of the sources that failed, too', () => {
    fc.assert(
      fc.property(fc.array(anyRun, { maxLength: 50 }), fc.constantFrom('a', 'b', 'c'), (given, source) => {
        fc.pre(shouldQuarantine(given, NOW, SETTINGS));
        fc.pre(given.some((each) => each.failed && each.source === source));
        const rest = given.filter((each) => each.source !== source);
        expect(isFlaky(rest, NOW, SETTINGS)).toBe(true);
      }),
    );
  });

  test.each([
    ['twenty passes', '.'.repeat(20), true],
    ['twenty passes after failures', `aaaa${'.'.repeat(20)}`, true],
    ['too few passes', '.'.repeat(19), false],
    ['one failure among twenty', `${'.'.repeat(19)}a`, false],
  ])('ends with %s: %s', (_, text, expected) => {
    expect(shouldReleaseFromQuarantine(runs(text), NOW)).toBe(expected);
  });
});
