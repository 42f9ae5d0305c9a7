import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareNamedQueries } from '../support/records/compare-queries.ts';

const MAIN = join(import.meta.dirname, '../../cli/main.ts');

interface DemoDocument {
  tasks: {
    id: string;
    title: string;
    status: string;
    attempts: { model: string; outcome: string; cost_usd: number; judging_cost_usd: number }[];
    cost_usd: number;
    judging_cost_usd: number;
    verdict: string | null;
    verified: boolean | null;
    branch: string | null;
    saved_vs_direct_opus_usd: number;
  }[];
  verification_nudge: { total_completions: number; unverified_count: number; recent_unverified: string[] };
  records_dir: string;
  elapsed_ms: number;
  folder: string;
  unexpected: string[];
}

let document: DemoDocument;
let stderr: string;
let folder: string | undefined;
beforeAll(() => {
  const ran = spawnSync(process.execPath, [MAIN, 'demo', '--json'], { encoding: 'utf8' });
  stderr = ran.stderr;
  document = JSON.parse(ran.stdout) as DemoDocument;
  folder = document.folder;
  expect(document.unexpected).toEqual([]);
  expect(ran.status).toBe(0);
});
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const outcomes = () => document.tasks.map((task) => [task.id, task.attempts.map(({ outcome }) => outcome)]);

test('the demo solves, escalates, waits, is judged, completes unverified and gives up, as it says', () => {
  expect(outcomes()).toEqual([
    ['a-slugs', ['passed']],
    ['b-discount', ['failed', 'passed']],
    ['c-receipt', ['passed']],
    ['d-notes', ['unverified']],
    ['e-names', ['failed', 'failed', 'failed']],
    ['f-parcels', ['failed', 'passed']],
    ['g-vouchers', ['failed', 'passed']],
  ]);
  expect(document.tasks.map((task) => task.branch)).toEqual([
    'assay/a-slugs',
    'assay/b-discount',
    'assay/c-receipt',
    null,
    null,
    'assay/f-parcels',
    'assay/g-vouchers',
  ]);
});

test('every attempt has its cost, and a failed climb has saved nothing', () => {
  for (const task of document.tasks)
    for (const attempt of task.attempts) expect(attempt.cost_usd).toBeGreaterThan(0);
  expect(document.tasks.at(0)?.saved_vs_direct_opus_usd).toBeGreaterThan(0);
  expect(document.tasks.find(({ id }) => id === 'e-names')?.saved_vs_direct_opus_usd).toBeLessThan(0);
});

test('what judging took is told, and in the cost of the task that was judged', () => {
  const judged = document.tasks.filter((task) => task.judging_cost_usd > 0);
  expect(judged.map(({ id }) => id)).toEqual(['f-parcels', 'g-vouchers']);
  for (const { id, attempts, cost_usd, judging_cost_usd } of judged) {
    // The second attempt has the same exam, at no further cost.
    expect(attempts.map((attempt) => attempt.judging_cost_usd > 0.0005)).toEqual([true, id === 'f-parcels']);
    const agents = attempts.reduce((sum, attempt) => sum + attempt.cost_usd, 0);
    expect(cost_usd).toBeCloseTo(agents + judging_cost_usd, 4);
  }
});

test('the ledger names the completion that nobody has verified', () => {
  expect(document.verification_nudge).toMatchObject({
    total_completions: 6,
    unverified_count: 1,
    recent_unverified: ['d-notes'],
  });
});

test('every named query answers over its records what plain computation answers', async () => {
  expect(await compareNamedQueries(document.records_dir)).toBeGreaterThan(20);
});

test('the records are JSONL files in a folder for each table and day', () => {
  const files = readdirSync(document.records_dir, { recursive: true, encoding: 'utf8' });
  for (const table of ['tasks', 'quality_gates', 'judgements', 'cascade_chains', 'verification_nudges'])
    expect(
      files.some((file) => new RegExp(`^table=${table}/dt=\\d{4}-\\d\\d-\\d\\d/.+\\.jsonl$`).test(file)),
    ).toBe(true);
});

test('progress is on standard error, with no escape sequence where there is no terminal', () => {
  expect(stderr).toMatch(/^c-receipt {3}blocked/m);
  expect(stderr).toMatch(/^c-receipt {3}done .*assay\/c-receipt$/m);
  expect(stderr).not.toContain('\u001b');
});
