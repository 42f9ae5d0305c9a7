import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Records } from '../../../cli/query/duckdb.ts';
import { AttemptList, TaskView } from '../../../shared/api/task-schemas.ts';
import { chainView, taskView } from '../../../shared/api/task-views.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../shared/contract/agents/tiers.ts';
import { ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import { isTerminalStatus } from '../../../shared/contract/task/status.ts';
import { Task } from '../../../shared/contract/task/task.ts';
import { learnedOutcomes } from '../../../shared/control/cascade/learning/learned-outcome.ts';
import { deriveRows, groupRows } from '../../../shared/control/ledger/derive-rows.ts';
import { namedQueries } from '../../../shared/control/ledger/named-queries.ts';
import {
  RECORD_TABLE_NAMES,
  RECORD_TABLES,
  type RecordTable,
} from '../../../shared/control/ledger/record-rows.ts';
import { requestReverification } from '../../../shared/control/task-commands/hold.ts';
import { cancelTask, startRetryRound } from '../../../shared/control/task-commands/operator-commands.ts';
import { expireLease } from '../../../shared/control/task-commands/recover.ts';
import { startAttempt } from '../../../shared/control/task-commands/start-attempt.ts';
import type { TaskCommand } from '../../../shared/control/task-commands/task-change.ts';
import {
  type ProjectionContext,
  reprojectTask,
} from '../../../shared/use-cases/cascade/stream-projections.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

/** What the stack of each of these days has left behind, with one task in each state: items of its table, rows of its records. */
const DATA = join(import.meta.dirname, '../../fixtures/earlier-versions');
const VERSIONS = readdirSync(DATA);
const lines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const NOW = new Date('2026-11-24T12:00:00.000Z');

/** What may become of each, by today's commands. */
const GO_ON: readonly (readonly [id: string, what: string, command: TaskCommand])[] = [
  [
    'old-open',
    'is claimed',
    (task) =>
      startAttempt(task, {
        model: null,
        tier: null,
        effort: 'high',
        route: { rule: 'task', reason: 'claimed' },
        leaseHolder: 'ann',
        leaseSeconds: 60,
        agentLaunch: null,
        now: NOW,
      }),
  ],
  ['old-claimed', 'is opened again when its lease has run out', (task) => expireLease(task, NOW)],
  ['old-blocked', 'is cancelled', (task) => cancelTask(task, 'not wanted', 'ann', NOW)],
  ['old-failed', 'is tried again', (task) => startRetryRound(task, NOW)],
  [
    'old-held',
    'has its verdict made again',
    (task) => requestReverification(task, 'a key is there', 'ann', NOW),
  ],
];

describe.each(VERSIONS)('what the version of %s has stored', (version) => {
  const folder = join(DATA, version);
  const items = lines(join(folder, 'items.jsonl'));
  const ids = items.flatMap(({ pk, sk }) =>
    sk === 'task' ? [String(pk).slice(ITEM_KEY_PREFIXES.task.length)] : [],
  );
  let table: Awaited<ReturnType<typeof createTestTable>>;
  beforeAll(async () => {
    table = await createTestTable();
    for (const Item of items) await table.db.send(new PutCommand({ TableName: 'tasks', Item }));
  });
  afterAll(() => table.close());

  it('has a task in each state, and each is read, shown by the API as it is documented, and looked at for what follows', async () => {
    const stati = new Set<string>();
    const context = { ...table, now: () => NOW, onCompletion: () => {} } as unknown as ProjectionContext;
    for (const id of ids) {
      const task = await table.tasks.require(id);
      stati.add(task.status);
      // Nothing parses items when they are read: whatever is absent must be allowed to be.
      expect(Task.safeParse(task).error).toBeUndefined();
      expect(TaskView.safeParse(taskView(task)).error).toBeUndefined();
      expect(AttemptList.safeParse(chainView(task)).error).toBeUndefined();
      if (isTerminalStatus(task.status)) await reprojectTask(task, context);
      if (task.status === 'failed') expect(learnedOutcomes(task).length).toBeGreaterThan(0);
    }
    expect([...stati].toSorted((a, b) => a.localeCompare(b))).toEqual([
      'blocked',
      'cancelled',
      'claimed',
      'done',
      'failed',
      'in_review',
      'open',
    ]);
    expect([...(await table.counts.read()).roles.keys()]).toContain('backend');
  });

  it.each(GO_ON)('%s %s, and is written in the form of today', async (id, _what, command) => {
    const before = await table.tasks.require(id);
    await table.tasks.change(id, command);
    const after = await table.tasks.require(id);
    expect(after.version).toBe(before.version + 1);
    expect(Task.strict().safeParse(after).error).toBeUndefined();
  });

  it('makes rows as those of a task of today', async () => {
    for (const id of ids) {
      const task = await table.tasks.require(id);
      for (const { table: name, row } of deriveRows(null, task, MODELS))
        expect(RECORD_TABLES[name].safeParse(row).error, name).toBeUndefined();
    }
  });

  it('answers every named query with its records beside those of today, and what came later is NULL in its rows', async () => {
    const root = mkdtempSync(join(tmpdir(), 'assay-earlier-'));
    const put = (name: string, day: string, text: string): void => {
      const to = join(root, `table=${name}`, `dt=${day}`);
      mkdirSync(to, { recursive: true });
      writeFileSync(join(to, `${Math.random()}.jsonl`), text);
    };
    const known = (name: string): name is RecordTable => RECORD_TABLE_NAMES.includes(name as RecordTable);
    const stored = readdirSync(join(folder, 'records')).map((file) => file.replace('.jsonl', ''));
    expect(stored.every(known)).toBe(true);
    for (const name of stored)
      put(name, version, readFileSync(join(folder, 'records', `${name}.jsonl`), 'utf8'));
    const done = await table.tasks.require('old-done');
    for (const { table: name, date, body } of groupRows(
      deriveRows(null, { ...done, id: 'new-done' }, MODELS),
    ))
      put(name, date, body);
    const records = await Records.open(root);
    for (const { name, sql } of namedQueries())
      await expect(records.query(sql), name).resolves.toMatchObject({ rows: expect.any(Array) });
    const count = async (sql: string) => (await records.query(sql)).rows;
    const rows = lines(join(folder, 'records', 'tasks.jsonl')).length;
    expect(await count("SELECT count(*) FROM tasks WHERE task_id LIKE 'old-%'")).toEqual([[rows]]);
    expect(
      await count('SELECT task_id, judging_cost_usd IS NULL FROM cascade_chains ORDER BY task_id'),
    ).toEqual(
      expect.arrayContaining([
        ['new-done', false],
        ['old-done', version === '2026-11-22'],
      ]),
    );
    records.close();
    rmSync(root, { recursive: true });
  });
});
