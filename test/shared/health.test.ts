import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { summarizeChangedFiles } from '../../shared/contract/evidence/changed-files.ts';
import {
  type FileChangeOutcome,
  NO_FILE_CHANGE_OUTCOME_COUNTS,
} from '../../shared/control/file-health/file-change-outcomes.ts';
import {
  FileHealthList,
  FileHealthQuery,
  FileHistory,
} from '../../shared/control/file-health/file-health-schemas.ts';
import {
  buildFileHealthHistory,
  buildFileHealthReport,
} from '../../shared/control/file-health/file-health-views.ts';
import {
  computeHealthScores,
  findFileFlagReason,
  healthGrade,
  totalHealthScore,
} from '../../shared/control/file-health/health-score.ts';
import { deriveRecordRows } from '../../shared/control/ledger/derive-rows.ts';
import type { FileChangeOutcomeRow } from '../../shared/control/ledger/record-rows.ts';
import { FileHealthStore } from '../../shared/store/file-health.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import {
  readFileHealth,
  readFileHistory,
  readFlaggedFiles,
} from '../../shared/use-cases/operate/file-health.ts';
import * as build from '../support/builders.ts';
import { createTestTable } from '../support/dynalite-table.ts';
import { MemoryTable } from '../support/memory-table.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const hoursAgo = (hours: number): string => new Date(NOW.getTime() - hours * 3_600_000).toISOString();

const row = (changes: Partial<FileChangeOutcomeRow>): FileChangeOutcomeRow => ({
  record_id: 'T1#1#file#0',
  schema_version: 1,
  task_id: 'T1',
  timestamp: hoursAgo(1),
  attempt: 1,
  repository: 'https://example.test/r.git',
  path: 'src/a.ts',
  outcome: 'accepted',
  findings: 0,
  flaky_tests: 0,
  model: 'haiku',
  tree: build.fakeSha1('b'),
  files_omitted: 0,
  ...changes,
});
/** Records of one much-touched file and a few others. */
const rows = fc
  .array(
    fc.record({
      path: fc.constantFrom('hot.ts', 'hot.ts', 'hot.ts', 'a.ts', 'b.ts'),
      hours: fc.integer({ min: 0, max: 24 * 70 }),
      outcome: fc.constantFrom('accepted', 'accepted', 'rejected', 'reverted'),
      findings: fc.integer({ min: 0, max: 4 }),
      flaky_tests: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 130, size: 'max' },
  )
  .map((all) =>
    all.map(({ hours, ...each }, index) =>
      row({ ...each, record_id: `T${index}#1#file#0`, task_id: `T${index}`, timestamp: hoursAgo(hours) }),
    ),
  );

/** What the records say of a file when all of them are read: no sums, nothing left out. */
function plainly(all: readonly FileChangeOutcomeRow[]) {
  const touches: FileChangeOutcome[] = all
    .map(({ record_id: id, timestamp: at, outcome, findings, flaky_tests: flaky }) => ({
      id,
      at,
      outcome,
      findings,
      flaky,
    }))
    .toSorted((a, b) => (a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1));
  const countOf = (upTo: readonly FileChangeOutcome[]) =>
    upTo.reduce(
      (sum, { outcome }) => ({ ...sum, [outcome]: sum[outcome] + 1 }),
      NO_FILE_CHANGE_OUTCOME_COUNTS,
    );
  const totals = touches.map((touch, index) => {
    const upTo = touches.slice(0, index + 1);
    return totalHealthScore(computeHealthScores(countOf(upTo), upTo.slice(-20), Date.parse(touch.at)));
  });
  return {
    scores: computeHealthScores(countOf(touches), touches.slice(-20), NOW.getTime()),
    history: touches
      .map(({ at, id }, index) => ({ at, id, before: totals[index - 1] ?? null, total: totals[index] }))
      .slice(-20)
      .toReversed(),
  };
}

describe('the health of a file', () => {
  test('is what its records say, each counted once, however often and in whatever order they come, in an item that does not grow', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.infiniteStream(fc.nat()), async (all, choice) => {
        const table = new MemoryTable();
        const db = { send: async (command: unknown) => table.carryOut(command) };
        const store = new FileHealthStore(new ItemTable(db as unknown as DynamoDBDocumentClient, 'tasks'));
        const order = [...all, ...all].toSorted(() => (Number(choice.next().value) % 3) - 1);
        for (let at = 0; at < order.length; ) {
          const next = at + 1 + (Number(choice.next().value) % 30);
          await store.recordTouches(order.slice(at, next), NOW);
          at = next;
        }
        for (const [path, of] of Map.groupBy(all, (each) => each.path)) {
          const file = await store.readFile(row({}).repository, path);
          if (!file) throw new Error(`${path} is not known`);
          const { scores, history } = plainly(of);
          expect(buildFileHealthReport(file, NOW)).toMatchObject({
            ...scores,
            total: totalHealthScore(scores),
          });
          const seen = buildFileHealthHistory(file, NOW).touch_history;
          expect(seen.map((each) => [each.timestamp, each.previous_total, each.new_total])).toEqual(
            history.map((each) => [each.at, each.before, each.total]),
          );
        }
        const largest = Math.max(...table.items.map((item) => JSON.stringify(item).length));
        expect(largest).toBeLessThan(4_500);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  test.each([
    ['nothing but accepted work', [{}], { total: 99, grade: 'A', flagged: false, flag_reason: null }],
    ['one attempt that was rejected', [{ outcome: 'rejected' }], { bug_density_score: 0, flagged: false }],
    [
      'work that was accepted and then reverted',
      [{}, { outcome: 'reverted' }],
      { bug_density_score: 0, reverts: 1, flagged: true, flag_reason: 'fell' },
    ],
    [
      'a revert of something that is older than the records',
      [{ outcome: 'reverted' }],
      { bug_density_score: null },
    ],
    ['findings', [{ findings: 3 }], { findings_score: 70 }],
    ['a test that fails now and then', [{ flaky_tests: 1 }], { flaky_score: 75 }],
  ] as const)('with %s', (_what, changes, expected) => {
    const latest = changes.map((each, index): FileChangeOutcome => {
      const { outcome, findings, flaky_tests: flaky } = row(each);
      return { id: `T${index}#1#file#0`, at: hoursAgo(50 - index), outcome, findings, flaky };
    });
    const health = buildFileHealthReport(
      { repository: 'r', path: 'p', earlier: NO_FILE_CHANGE_OUTCOME_COUNTS, latest },
      NOW,
    );
    expect(health).toMatchObject(expected);
    expect([health.complexity_score, health.coverage_score, health.coupling_score]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test.each([
    [90, null, null, 'A'],
    [89, 99, 'fell', 'B'],
    [70, 79, null, 'C'],
    [60, null, null, 'D'],
    [59, null, 'low', 'F'],
  ])('of %i after %s is flagged because it is %s, grade %s', (total, before, flag, grade) => {
    expect([findFileFlagReason(total, before), healthGrade(total)]).toEqual([flag, grade]);
  });
});

describe('files of evidence', () => {
  const finding = (file: string | null, rule: string, baseline?: 'new' | 'unchanged') => ({
    file,
    line: 1,
    rule,
    message: 'm',
    ...(baseline && { baseline }),
  });

  test('are named with their own new findings, the worst first, and counted where there are too many', () => {
    const paths = Array.from({ length: 60 }, (_, index) => `src/${String(index).padStart(2, '0')}.ts`);
    const { files, more } = summarizeChangedFiles(
      build.evidence({
        changed_files: [...paths, paths[0] ?? '', 'x'.repeat(301)],
        gates: [
          build.gate({
            name: 'lint',
            findings: [
              finding('src/59.ts', 'no-var'),
              finding('src/59.ts', 'old', 'unchanged'),
              finding('src/07.ts', 'flaky_quarantined'),
              finding('src/08.ts', 'flaky_released'),
              finding('elsewhere.ts', 'no-var'),
              finding(null, 'no-var'),
            ],
          }),
        ],
      }),
    );
    expect(files.slice(0, 3)).toEqual([
      { path: 'src/07.ts', findingCount: 0, flakyTestCount: 1 },
      { path: 'src/59.ts', findingCount: 1, flakyTestCount: 0 },
      { path: 'src/00.ts', findingCount: 0, flakyTestCount: 0 },
    ]);
    expect([files.length, more]).toEqual([50, 11]);
  });

  test('become records when their attempt is judged and when its work is reverted, once each', () => {
    const files = [{ path: 'src/a.ts', finding_count: 2, flaky_test_count: 0 }];
    const attempt = build.attempt({
      verification: { ...build.verification(), files_with_findings: files, files_omitted: 3 },
      outcome: null,
    });
    const running = build.task({ attempts: [attempt] });
    const judged = build.task({
      attempts: [{ ...attempt, outcome: 'passed', ended_at: hoursAgo(2) }],
    });
    const reverted = {
      ...judged,
      delivery_outcomes: [
        { outcome: 'reverted' as const, request: 7, commit: null, by: 'ann', at: hoursAgo(1) },
      ],
    };
    const rowsOf = (before: typeof running, after: typeof running) =>
      deriveRecordRows(before, after, { haiku: 'h', sonnet: 's', opus: 'o' }).flatMap((each) =>
        each.table === 'file_touches' ? [each.row] : [],
      );
    expect(rowsOf(running, running)).toEqual([]);
    expect(rowsOf(running, judged)).toMatchObject([
      { path: 'src/a.ts', outcome: 'accepted', findings: 2, timestamp: hoursAgo(2), files_omitted: 3 },
    ]);
    expect(rowsOf(judged, judged)).toEqual([]);
    const [again] = rowsOf(judged, reverted);
    expect(again).toMatchObject({ outcome: 'reverted', timestamp: hoursAgo(1) });
    expect(again?.record_id).not.toBe(rowsOf(running, judged)[0]?.record_id);
    expect(rowsOf(reverted, reverted)).toEqual([]);
  });
});

describe('the list of files', () => {
  let table: Awaited<ReturnType<typeof createTestTable>>;
  beforeAll(async () => {
    table = await createTestTable();
  });
  afterAll(() => table.close());

  test('has the worst first, filters as the seed does, and shows a token its repositories only', async () => {
    const files = new FileHealthStore(new ItemTable(table.db, 'tasks'));
    const deps = { files, canAccess: () => true, now: NOW };
    const query = (changes: object = {}) => FileHealthQuery.parse(changes);
    expect(await readFileHealth(query(), deps)).toMatchObject({
      files: [],
      summary: { total_tracked: 0, avg_score: null },
    });
    const other = 'https://example.test/other.git';
    await files.recordTouches(
      [
        row({ record_id: 'T1#1#file#0' }),
        row({ record_id: 'T1#1#file#1', path: 'src/b.ts', outcome: 'rejected', findings: 9 }),
        row({ record_id: 'T2#1#file#0', path: 'src/b.ts', outcome: 'rejected', task_id: 'T2' }),
        row({ record_id: 'T3#1#file#0', repository: other }),
      ],
      NOW,
    );
    const all = FileHealthList.parse(await readFileHealth(query(), deps));
    expect(all.files.map(({ path, grade }) => [path, grade])).toEqual([
      ['src/b.ts', 'F'],
      ['src/a.ts', 'A'],
      ['src/a.ts', 'A'],
    ]);
    expect(all).toMatchObject({ summary: { total_tracked: 3, flagged_for_review: 1 }, truncated: false });
    expect((await readFileHealth(query({ limit: '1' }), deps)).summary.total_tracked).toBe(3);
    expect((await readFileHealth(query({ grade: 'F' }), deps)).files).toHaveLength(1);
    expect((await readFileHealth(query({ min_score: '60' }), deps)).files).toHaveLength(1);
    expect((await readFileHealth(query({ repository: other }), deps)).files).toHaveLength(1);
    expect((await readFlaggedFiles(undefined, deps)).files.map(({ path }) => path)).toEqual(['src/b.ts']);
    const one = { ...deps, canAccess: (url: string) => url === other };
    expect((await readFileHealth(query(), one)).files).toHaveLength(1);
    const history = FileHistory.parse(await readFileHistory({ path: 'src/b.ts' }, deps));
    expect(history.touch_history.map(({ task_id }) => task_id)).toEqual(['T2', 'T1']);
    await expect(readFileHistory({ path: 'src/b.ts' }, one)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readFileHistory({ path: 'gone.ts' }, deps)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readFileHistory({ path: 'src/a.ts' }, deps)).rejects.toMatchObject({ code: 'invalid' });
    expect((await readFileHistory({ path: 'src/a.ts', repository: other }, deps)).score.repository).toBe(
      other,
    );
  });
});
