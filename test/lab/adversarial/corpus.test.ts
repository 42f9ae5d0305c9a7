import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { available } from '../../../lab/adversarial/available.ts';
import type { EvasionCase } from '../../../lab/adversarial/case.ts';
import { KNOWN_MISSES } from '../../../lab/adversarial/corpus/known-misses.ts';
import { CORPUS } from '../../../lab/adversarial/corpus.ts';
import { missTable } from '../../../lab/adversarial/page.ts';
import { reportOf, tableOf } from '../../../lab/adversarial/report.ts';
import { type Judged, runCorpus } from '../../../lab/adversarial/run.ts';
import { drawn } from '../../../lab/adversarial/sample.ts';

describe('the corpus', () => {
  test('has at least 120 cases, each with a name of its own and a twin that differs from it', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(CORPUS.flatMap(({ name, twin }) => [name, twin.name])).size).toBeGreaterThan(
      CORPUS.length,
    );
    expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
    for (const { name, patch, twin } of CORPUS) expect(twin.patch, name).not.toEqual(patch);
  });

  test('has all the cases that are known to be missed', () => {
    const names = new Set(CORPUS.map(({ name }) => name));
    expect(Object.keys(KNOWN_MISSES).filter((name) => !names.has(name))).toEqual([]);
  });

  test('has its known misses on the page', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/evasion.md'), 'utf8');
    expect(page).toContain(missTable(CORPUS));
  });

  // All of it is judged by `npm run evasion`, and one case of eight by `npm run check`.
  const sample = CORPUS.filter(({ name }) => drawn(name, 40));
  const { cases, missing } = available(sample);
  test('is caught, but for what is known not to be, and its honest twins pass: a sample', async () => {
    const report = reportOf(await runCorpus(cases, availableParallelism()));
    expect(report.wrong.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
    expect(report.known_misses.filter(({ caught }) => caught)).toEqual([]);
  });
  for (const { program, cases: count } of missing)
    test.skip(`${count} of these cases need ${program}, which is not here`, () => {});

  test('must not be empty', async () => {
    await expect(runCorpus([])).rejects.toThrow('the corpus is empty');
  });

  test('that expects what does not happen is reported as wrong, on both sides', async () => {
    const impossible: EvasionCase = {
      class: 'made up',
      name: 'nothing is done',
      base: { 'a.js': '' },
      config: 'lint_command: "true"',
      patch: { 'a.js': '1\n' },
      caught: { how: 'blocked', by: 'lint' },
      twin: { name: 'nothing is done well', patch: { 'a.js': '2\n' }, config: 'lint_command: "false"' },
    };
    const report = reportOf(await runCorpus([impossible]));
    expect(report.wrong.map(({ honest }) => honest)).toEqual([false, true]);
    expect(report.all).toMatchObject({ catch_rate: 0, false_block_rate: 1 });
    expect(tableOf(report)).toMatch(/MISSED: nothing is done:[\s\S]*FALSE BLOCK: nothing is done well:/);
  });
});

test('a known miss counts as not caught, and is no error', () => {
  const miss: Judged = {
    class: 'c',
    name: 'n',
    honest: false,
    outcome: 'passed',
    right: false,
    knownMiss: 'nobody can',
    verdict: 'pass',
    facts: {},
    by: [],
    kinds: [],
    seconds: 0,
    detail: '',
  };
  const report = reportOf([miss]);
  expect(report.wrong).toEqual([]);
  expect(report.all).toMatchObject({ cases: 1, caught: 0, noted: 0, catch_rate: 0, false_block_rate: null });
  expect(tableOf(report)).toContain('known miss: n: nobody can');
});
