import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AdversarialCase } from '../../../lab/adversarial/adversarial-case.ts';
import { KNOWN_MISSES } from '../../../lab/adversarial/corpus/known-misses.ts';
import { ADVERSARIAL_CORPUS } from '../../../lab/adversarial/corpus.ts';
import { renderCorpusTable, summarizeCorpusRun } from '../../../lab/adversarial/corpus-report.ts';
import { renderKnownMisses } from '../../../lab/adversarial/results-page.ts';
import { type JudgedPatch, runCorpus } from '../../../lab/adversarial/run-corpus.ts';
import { selectRunnableCases } from '../../../lab/adversarial/runnable-cases.ts';
import { isSampled } from '../../../lab/adversarial/sampling.ts';

describe('the corpus', () => {
  test('has at least 120 cases, each with a name of its own and a twin that differs from it', () => {
    expect(ADVERSARIAL_CORPUS.length).toBeGreaterThanOrEqual(120);
    expect(
      new Set(ADVERSARIAL_CORPUS.flatMap(({ name, honestTwin }) => [name, honestTwin.name])).size,
    ).toBeGreaterThan(ADVERSARIAL_CORPUS.length);
    expect(new Set(ADVERSARIAL_CORPUS.map(({ name }) => name)).size).toBe(ADVERSARIAL_CORPUS.length);
    for (const { name, patch, honestTwin } of ADVERSARIAL_CORPUS)
      expect(honestTwin.patch, name).not.toEqual(patch);
  });

  test('has all the cases that are known to be missed', () => {
    const names = new Set(ADVERSARIAL_CORPUS.map(({ name }) => name));
    expect(Object.keys(KNOWN_MISSES).filter((name) => !names.has(name))).toEqual([]);
  });

  test('has its known misses on the page', () => {
    const page = readFileSync(
      join(import.meta.dirname, '../../../docs/measurements/adversarial-evaluation.md'),
      'utf8',
    );
    expect(page).toContain(renderKnownMisses(ADVERSARIAL_CORPUS));
  });

  // All of it is judged by `npm run adversarial`, and one case of eight by `npm run check`.
  const sample = ADVERSARIAL_CORPUS.filter(({ name }) => isSampled(name, 40));
  const { cases, missing } = selectRunnableCases(sample);
  test('is caught, but for what is known not to be, and its honest twins pass: a sample', async () => {
    const report = summarizeCorpusRun(await runCorpus(cases, availableParallelism()));
    expect(report.unexpected.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
    expect(report.known_misses.filter(({ caught }) => caught)).toEqual([]);
  });
  for (const { program, cases: count } of missing)
    test.skip(`${count} of these cases need ${program}, which is not here`, () => {});

  test('must not be empty', async () => {
    await expect(runCorpus([])).rejects.toThrow('the corpus is empty');
  });

  test('that expects what does not happen is reported as wrong, on both sides', async () => {
    const impossible: AdversarialCase = {
      class: 'made up',
      name: 'nothing is done',
      base: { 'a.js': '' },
      config: 'lint_command: "true"',
      patch: { 'a.js': '1\n' },
      expectedCatch: { how: 'blocked', by: 'lint' },
      honestTwin: { name: 'nothing is done well', patch: { 'a.js': '2\n' }, config: 'lint_command: "false"' },
    };
    const report = summarizeCorpusRun(await runCorpus([impossible]));
    expect(report.unexpected.map(({ honest }) => honest)).toEqual([false, true]);
    expect(report.all).toMatchObject({ catch_rate: 0, false_block_rate: 1 });
    expect(renderCorpusTable(report)).toMatch(
      /MISSED: nothing is done:[\s\S]*FALSE BLOCK: nothing is done well:/,
    );
  });
});

test('a known miss counts as not caught, and is no error', () => {
  const miss: JudgedPatch = {
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
  const report = summarizeCorpusRun([miss]);
  expect(report.unexpected).toEqual([]);
  expect(report.all).toMatchObject({ cases: 1, caught: 0, noted: 0, catch_rate: 0, false_block_rate: null });
  expect(renderCorpusTable(report)).toContain('known miss: n: nobody can');
});
