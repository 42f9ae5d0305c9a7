import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { computeBill, sumBill } from '../../../lab/bench/aws-bill.ts';
import { AWS_PRICES } from '../../../lab/bench/aws-prices.ts';
import { generateProject } from '../../../lab/bench/data/generated-project.ts';
import { renderRepositoryChecksSections } from '../../../lab/bench/repository-checks.ts';
import { renderMarkdown, renderText, replaceMarkedPart } from '../../../lab/bench/result-page.ts';
import {
  compareWithTargets,
  computeUsdPer1000Tasks,
  renderStackSections,
  type StackResult,
} from '../../../lab/bench/stack-sections.ts';
import { median, percentile } from '../../../lab/bench/statistics.ts';
import { buildNoopTask, summarizeTimings } from '../../../lab/bench/task-latency.ts';
import { TaskSubmission } from '../../../shared/contract/submission/schema.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-bench-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a percentile is a value that was measured, with that share of the values at or below it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, share) => {
        const value = percentile(values, share);
        expect(values).toContain(value);
        const atOrBelow = values.filter((each) => each <= value).length;
        expect(atOrBelow).toBeGreaterThanOrEqual(share * values.length - 1e-9);
      },
    ),
  );
  expect(median([3, 1, 2])).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
  expect(() => percentile([], 0.5)).toThrow();
});

test('the idle task is one that the API accepts', () => {
  expect(TaskSubmission.safeParse(buildNoopTask('file:///x.git', 'x-1'))).toMatchObject({ success: true });
});

const SNAPSHOT = {
  Lambda: { Invocations: 1_000_000, BilledGigabyteSeconds: 100, BilledMilliseconds: 7, Errors: 0 },
  states: { StartExecution: 8, ExpressExecution: 10, ExpressDurationMs: 16_000 },
  DynamoDB: { WriteUnits: 8, ReadUnits: 4, PutItem: 6 },
  SQS: { SendMessage: 3, ReceiveMessage: 2 },
  S3: { PutObject: 2, GetObject: 5 },
  'HTTP API': { Requests: 6 },
};

test('the bill has each thing that AWS charges for once', () => {
  const rows = Object.fromEntries(computeBill(SNAPSHOT).map((row) => [row.name, row]));
  expect(rows['Lambda invocations']?.usd).toBeCloseTo(0.2);
  expect(rows['Lambda time']?.usd).toBeCloseTo(100 * AWS_PRICES.lambdaGigabyteSecond.usd);
  expect(rows['Express time']?.quantity).toBe(1);
  expect(rows['DynamoDB writes']?.quantity).toBe(8);
  expect(rows['SQS requests']?.quantity).toBe(5);
  expect(rows['S3 writes']?.quantity).toBe(2);
  expect(rows['S3 reads']?.quantity).toBe(5);
  expect(rows['HTTP API requests']?.quantity).toBe(6);
  expect(sumBill(computeBill({}))).toBe(0);
});

const timing = (ms: number) => ({ total: ms, accepted: 1, agent: 2, gates: 3, verdict: 4 });
const OCCASION = { at: '2026-11-21T10:00:00.000Z', machine: 'a machine' };
const result: StackResult = {
  alone: summarizeTimings([timing(250)], 1_000),
  together: summarizeTimings([timing(900), timing(1_100)], 2_000),
  counted_tasks: 1_000,
  counters: SNAPSHOT,
  bill: computeBill(SNAPSHOT),
  bundles: [{ name: 'one', bytes: 350_000, gzip_bytes: 100_000, import_ms: 40 }],
};

test('aims are shown met or missed as they are', () => {
  expect(computeUsdPer1000Tasks(result)).toBeCloseTo(sumBill(result.bill));
  expect(compareWithTargets(result).map((row) => row.at(-1))).toEqual([
    '',
    'met',
    'met',
    'missed raw, met gzip',
  ]);
  expect(compareWithTargets({ ...result, alone: summarizeTimings([timing(301)], 1) })[1]).toContain('missed');
});

test('rates are by the clock from the first request to the last end', () => {
  expect(result.together).toMatchObject({ tasks: 2, p50_ms: 900, p99_ms: 1_100, tasks_per_second: 1 });
});

test('figures replace what stood between the markers, and nothing else', () => {
  const file = join(folder, 'performance.md');
  const page = (middle: string) =>
    `# Title\n\n<!-- figures of stack: written by \`npm run bench -- --write\` -->\n\n${middle}\n\n<!-- end of figures of stack -->\n\nAfter.\n`;
  writeFileSync(file, page('old'));
  const figuresPage = renderMarkdown(OCCASION, 'stack', renderStackSections(result));
  replaceMarkedPart(file, 'stack', figuresPage);
  replaceMarkedPart(file, 'stack', figuresPage);
  expect(readFileSync(file, 'utf8')).toBe(page(figuresPage));
  expect(() => replaceMarkedPart(file, 'scans', 'x')).toThrow(/has no place for the figures of scans/);
  writeFileSync(file, 'no markers');
  expect(() => replaceMarkedPart(file, 'stack', 'x')).toThrow(/has no place for the figures/);
});

test('the page has a place for each part, and what it shows came from the command that it names', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/measurements/performance.md'), 'utf8');
  for (const part of ['stack', 'pipeline', 'scans']) {
    expect(page).toContain(`<!-- figures of ${part}: `);
    expect(page).toContain(`by \`npm run bench -- --only ${part} --write\``);
  }
  expect(renderText(OCCASION, renderStackSections(result))).toContain('a machine');
});

test('the generated project is as large as was asked for, and its patch changes as many files', () => {
  const { files, patch, lines } = generateProject(5_000, 10);
  expect(lines).toBeGreaterThanOrEqual(5_000);
  expect(Object.keys(patch)).toHaveLength(10);
  expect(Object.keys(patch).filter((path) => path in files)).toHaveLength(8);
});

const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../../lab/bench/main.ts'), ...args], {
    encoding: 'utf8',
  });

test('the bench says what it can do, and refuses what it cannot', () => {
  const help = bench('--help');
  expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('Examples:')]);
  for (const args of [['--only', 'nothing'], ['--fast'], ['extra']])
    expect(bench(...args)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('error: '),
    });
});

test('the cost of checks is shown as a multiple of the suite, and a repository that could not be tried with the reason', () => {
  const [section] = renderRepositoryChecksSections({
    repositories: [
      {
        name: 'a/b',
        suite_ms: 2_000,
        checks: {
          'another base': { cpu_ms: 6_000, verdict: 'pass' },
          'same base': { cpu_ms: 4_000, verdict: 'pass' },
        },
        problem: null,
      },
      { name: 'c/d', suite_ms: null, checks: {}, problem: 'init enabled no tests' },
    ],
  });
  const [head, ...rows] = section?.[1] ?? [];
  expect(head?.slice(0, 5)).toEqual(['repository', 'verdict', 'suite', 'another base', 'ratio']);
  expect(rows).toEqual([
    ['a/b', 'pass', '2.0', '6.0', '3.0', '4.0', '2.0', '', ''],
    ['c/d', 'init enabled no tests', '', '', '', '', '', '', ''],
    ['median', '', '', '', '3.0', '', '2.0', '', ''],
  ]);
});
