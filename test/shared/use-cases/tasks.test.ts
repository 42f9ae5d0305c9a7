import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListTasksQuery } from '../../../shared/api/task-schemas.ts';
import { Refusal } from '../../../shared/contract/refusal.ts';
import type { TaskSubmissionInput } from '../../../shared/contract/submission/schema.ts';
import { buildVerificationNudge } from '../../../shared/control/ledger/verification-nudge.ts';
import { cancelTask } from '../../../shared/control/task-commands/operator-commands.ts';
import { renewLease } from '../../../shared/control/task-commands/report-work.ts';
import { listTasks } from '../../../shared/use-cases/operate/list-tasks.ts';
import { submitBatch } from '../../../shared/use-cases/submit/submit-batch.ts';
import { type SubmitContext, submitTask } from '../../../shared/use-cases/submit/submit-task.ts';
import { claimNextOpenTask, claimTask } from '../../../shared/use-cases/work/claim-task.ts';
import { ANY_AGENTS, addSeconds, FIXED_NOW, REJECTING_OBJECTS, submission } from '../../support/builders.ts';
import { buildCompletions } from '../../support/completions.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const context = (fields: Partial<SubmitContext> = {}): SubmitContext => ({
  tasks: table.tasks,
  now: FIXED_NOW,
  submitter: 'ann',
  idempotencyKey: null,
  allowFileRepositories: false,
  pushScopes: [],
  agents: ANY_AGENTS,
  objects: REJECTING_OBJECTS,
  ...fields,
});
const submit = async (request: Partial<TaskSubmissionInput> = {}, fields: Partial<SubmitContext> = {}) =>
  (await submitTask(submission(request), context(fields))).task;
const claims = (now = FIXED_NOW) => ({
  tasks: table.tasks,
  locks: table.locks,
  now,
  claimant: 'bob',
  leaseSeconds: 120,
});
const refused = async (run: Promise<unknown>): Promise<Refusal> => {
  try {
    await run;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
};

describe('submitting', () => {
  it('writes one task and reads it back as it was', async () => {
    const made = await submit({ description: '', files: ['src/a.ts'] });
    expect(await table.tasks.get(made.id)).toEqual(made);
  });

  it('answers a repeat under the same key with the first task, and refuses a different request', async () => {
    const first = await submitTask(submission({ title: 'one' }), context({ idempotencyKey: 'k1' }));
    const again = await submitTask(
      submission({ title: 'one' }),
      context({ idempotencyKey: 'k1', now: addSeconds(60) }),
    );
    expect([first.created, again.created, again.task.id]).toEqual([true, false, first.task.id]);
    expect(
      (await refused(submitTask(submission({ title: 'two' }), context({ idempotencyKey: 'k1' })))).code,
    ).toBe('idempotency_mismatch');
    expect(
      (await submitTask(submission({ title: 'one' }), context({ idempotencyKey: 'k1', submitter: 'bob' })))
        .created,
    ).toBe(true);
  });

  it('keeps an own id for one request', async () => {
    await submit({ id: 'TSK-1' });
    expect((await submitTask(submission({ id: 'TSK-1' }), context())).created).toBe(false);
    expect(await refused(submitTask(submission({ id: 'TSK-1', title: 'other' }), context()))).toMatchObject({
      code: 'id_taken',
      errors: [{ pointer: '/id' }],
    });
  });

  it('refuses unknown dependencies, itself as a dependency, and file:// outside the embedded default, naming the field', async () => {
    expect(await refused(submit({ depends_on: ['nobody'] }))).toMatchObject({
      code: 'dependency_unknown',
      errors: [{ pointer: '/depends_on/0' }],
    });
    expect((await refused(submit({ id: 'SELF', depends_on: ['SELF'] }))).message).toContain('SELF -> SELF');
    expect(await refused(submit({ repository: 'file:///srv/repo' }))).toMatchObject({
      code: 'invalid',
      errors: [{ pointer: '/repository' }],
    });
    expect(await table.tasks.get('SELF')).toBeNull();
  });

  it('refuses ssh:// outside the embedded default, and says what to do', async () => {
    const repository = 'ssh://git@github.com/acme/shop.git';
    const refusal = await refused(submit({ id: 'SSH', repository }));
    expect(refusal).toMatchObject({ code: 'invalid', errors: [{ pointer: '/repository' }] });
    expect(refusal.message).toContain('name it by https://');
    expect(refusal.message).toContain('assay:gitSecretArn');
    expect(await table.tasks.get('SSH')).toBeNull();
    const embedded = await submit({ id: 'SSH-2', repository }, { allowFileRepositories: true });
    expect(embedded.repository).toBe(repository);
  });

  it('refuses a repository that the deployment has no credential to push to, and says which it has', async () => {
    const pushScopes = ['https://github.com/acme'];
    const refusal = await refused(
      submit({ id: 'FAR', repository: 'https://github.com/other/x' }, { pushScopes }),
    );
    expect(refusal).toMatchObject({ code: 'invalid', errors: [{ pointer: '/repository' }] });
    expect(refusal.message).toContain('https://github.com/acme');
    expect(await table.tasks.get('FAR')).toBeNull();
    const near = await submit({ repository: 'https://GitHub.com/acme/x' }, { pushScopes });
    expect(near.repository).toBe('https://github.com/acme/x');
  });

  it('takes a batch in any order, blocks what must wait, and names a cycle before writing anything', async () => {
    const made = await submitBatch(
      [submission({ id: 'B2', depends_on: ['B1'] }), submission({ id: 'B1' })],
      context(),
    );
    expect(made.map((each) => 'task' in each && [each.id, each.task.status, each.task.waits_for])).toEqual([
      ['B2', 'blocked', 'B1'],
      ['B1', 'open', null],
    ]);
    const cycle = await refused(
      submitBatch(
        [
          submission({ id: 'C0' }),
          submission({ id: 'C1', depends_on: ['C2'] }),
          submission({ id: 'C2', depends_on: ['C1'] }),
        ],
        context(),
      ),
    );
    expect(cycle.code).toBe('dependency_cycle');
    expect(cycle.message).toContain('C1 -> C2 -> C1');
    expect(await table.tasks.get('C0')).toBeNull();
    expect(
      (await refused(submitBatch([submission({ id: 'D1' }), submission({ id: 'D1' })], context()))).errors[0]
        ?.pointer,
    ).toBe('/tasks/1/id');
  });
});

describe('claiming', () => {
  it('gives each of 60 tasks to one of 20 claimers, priority first, then oldest', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 60; index++) {
      const made = await submit(
        { role: 'swarm', runner: 'external', priority: ((index % 3) + 1) as 1 },
        { now: addSeconds(index) },
      );
      ids.push(made.id);
    }
    const claimed: { id: string; priority: number; created: string }[] = [];
    const claimer = async (): Promise<void> => {
      for (;;) {
        try {
          const { task } = await claimNextOpenTask('swarm', claims());
          claimed.push({ id: task.id, priority: task.priority, created: task.created_at });
        } catch (error) {
          if (error instanceof Refusal && error.code === 'no_task') return;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, claimer));
    expect(claimed.map((each) => each.id).sort((a, b) => (a < b ? -1 : 1))).toEqual(
      ids.sort((a, b) => (a < b ? -1 : 1)),
    );
    for (const id of ids) expect((await table.tasks.get(id))?.attempts).toHaveLength(1);
  });

  it('takes the most urgent, oldest one', async () => {
    await submit({ id: 'late', role: 'solo', runner: 'external', priority: 2 }, { now: addSeconds(1) });
    await submit({ id: 'early', role: 'solo', runner: 'external', priority: 2 });
    await submit({ id: 'urgent', role: 'solo', runner: 'external', priority: 1 }, { now: addSeconds(2) });
    const order = [
      await claimNextOpenTask('solo', claims()),
      await claimNextOpenTask('solo', claims()),
      await claimNextOpenTask('solo', claims()),
    ];
    expect(order.map(({ task }) => task.id)).toEqual(['urgent', 'early', 'late']);
    expect((await refused(claimNextOpenTask('solo', claims()))).code).toBe('no_task');
  });

  it('is refused for managed tasks, with an old version, and while a live task holds an overlapping file', async () => {
    const managed = await submit();
    expect((await refused(claimTask(managed.id, null, claims()))).code).toBe('conflict');
    const repository = 'https://example.test/locks.git';
    const holder = await submit({ runner: 'external', repository, files: ['src'] });
    const other = await submit({ runner: 'external', repository, files: ['src/deep/a.ts'] });
    const elsewhere = await submit({
      runner: 'external',
      repository: 'https://example.test/other.git',
      files: ['src'],
    });
    expect((await refused(claimTask(other.id, null, claims(), 9))).code).toBe('version_mismatch');
    await claimTask(holder.id, null, claims());
    expect((await refused(claimTask(other.id, null, claims()))).code).toBe('files_locked');
    await claimTask(elsewhere.id, null, claims());
    await table.tasks.applyCommand(holder.id, (task) => cancelTask(task, 'x', 'ann', FIXED_NOW));
    expect((await claimTask(other.id, null, claims())).task.status).toBe('claimed');
  });

  it('never lets two of many overlapping tasks be live together', async () => {
    const repository = 'https://example.test/contended.git';
    for (let index = 0; index < 12; index++)
      await submit({ id: `O${index}`, runner: 'external', repository, files: ['shared.ts'] });
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => claimTask(`O${index}`, null, claims())),
    );
    expect(results.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
  });
});

describe('changing', () => {
  it('lets 30 racing heartbeats all count, one version each', async () => {
    const made = await submit({ runner: 'external' });
    await claimTask(made.id, null, claims());
    await Promise.all(
      Array.from({ length: 15 }, () =>
        table.tasks.applyCommand(made.id, (task) => renewLease(task, 1, 120, FIXED_NOW)),
      ),
    );
    expect((await table.tasks.get(made.id))?.version).toBe(2 + 15);
  });

  it('refuses what does not exist', async () => {
    expect((await refused(table.tasks.applyCommand('nope', () => null))).code).toBe('not_found');
  });
});

describe('listing', () => {
  const query = (fields: Record<string, unknown> = {}) => ListTasksQuery.parse(fields);

  it('pages through all tasks oldest first, each once, whatever their status', async () => {
    const repository = 'https://example.test/paged.git';
    const ids: string[] = [];
    for (let index = 0; index < 25; index++) {
      const made = await submit({ repository, title: `page ${index}` }, { now: addSeconds(1_000 + index) });
      if (index % 4 === 0)
        await table.tasks.applyCommand(made.id, (task) => cancelTask(task, 'x', 'ann', FIXED_NOW));
      ids.push(made.id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listTasks(
        query({ repository, limit: 7, ...(cursor ? { cursor } : {}) }),
        table.tasks,
      );
      seen.push(...page.tasks.map((task) => task.id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(ids);
    const cancelled = await listTasks(query({ repository, status: 'cancelled' }), table.tasks);
    expect(cancelled.tasks.map((task) => task.id)).toEqual(ids.filter((_, index) => index % 4 === 0));
  });

  it('shows nothing of a task that the caller may not see, not even in a cursor', async () => {
    const own = 'https://example.test/own.git';
    const hidden = await submit({ repository: 'https://example.test/hidden.git', title: 'hidden' });
    const page = await listTasks(query({ limit: 1 }), table.tasks, ({ repository }) => repository === own);
    expect(page.tasks).toEqual([]);
    const cursor = page.next_cursor ?? '';
    expect(cursor).not.toBe('');
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
    for (const id of [
      hidden.id,
      ...(await listTasks(query({ limit: 200 }), table.tasks)).tasks.map((each) => each.id),
    ])
      expect(bytes).not.toContain(id);
    expect(bytes).not.toMatch(/20\d\d-\d\d-\d\d/);
    // Nor may a caller make one, to look behind a time of its choice.
    const forged = Buffer.from(bytes, 'latin1');
    forged[20] = (forged[20] ?? 0) ^ 1;
    const asked = listTasks(query({ limit: 1, cursor: forged.toString('base64url') }), table.tasks);
    expect((await refused(asked)).code).toBe('bad_cursor');
  });

  it('refuses a cursor of another listing', async () => {
    const page = await listTasks(query({ limit: 1 }), table.tasks);
    expect(
      (await refused(listTasks(query({ role: 'qa', cursor: page.next_cursor }), table.tasks))).code,
    ).toBe('bad_cursor');
    expect((await refused(listTasks(query({ cursor: 'garbage' }), table.tasks))).code).toBe('bad_cursor');
  });
});

describe('the verification nudge', () => {
  it.each([
    [10, 3, false],
    [10, 4, true],
    [1, 1, false],
    [2, 2, false],
    [3, 1, true],
    [0, 0, false],
  ])('of %i completions with %i unverified exceeds the threshold: %s', (total, unverified, exceeded) => {
    const nudge = buildVerificationNudge(buildCompletions(total - unverified, unverified));
    expect(nudge.threshold_exceeded).toBe(exceeded);
    expect(nudge.unverified_ratio).toBe(
      total === 0 ? null : Math.round((unverified / total) * 1_000) / 1_000,
    );
  });
});
