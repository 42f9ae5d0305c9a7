import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../shared/contract/agents/tiers.ts';
import { Refusal } from '../../../shared/contract/refusal.ts';
import { DELIVERY_LIMIT_SECONDS } from '../../../shared/contract/resource-names.ts';
import type { TaskSubmissionInput } from '../../../shared/contract/submission/schema.ts';
import { isTerminalStatus, TASK_STATUSES } from '../../../shared/contract/task/status.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { resolveBuiltinRole } from '../../../shared/control/roles/defaults.ts';
import { computeTaskDeadline, START_GRACE_SECONDS } from '../../../shared/control/task-commands/deadline.ts';
import { finishTaskAfterCascade } from '../../../shared/control/task-commands/finish-task.ts';
import { failTaskByOperator } from '../../../shared/control/task-commands/operator-commands.ts';
import { renewLease } from '../../../shared/control/task-commands/report-work.ts';
import { recordResolvedBase } from '../../../shared/control/task-commands/resolve-base.ts';
import type { StepFunctionsClient } from '../../../shared/store/state-machines.ts';
import { runSelectModelStep } from '../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../../shared/use-cases/cascade/task-write-effects.ts';
import { listReviews } from '../../../shared/use-cases/operate/list-reviews.ts';
import { type ReconcileContext, reconcileTasks } from '../../../shared/use-cases/operate/reconcile-tasks.ts';
import { submitTask } from '../../../shared/use-cases/submit/submit-task.ts';
import { claimNextOpenTask } from '../../../shared/use-cases/work/claim-task.ts';
import {
  ANY_AGENTS,
  addSeconds,
  attempt,
  FIXED_NOW,
  fakeSha1,
  launch,
  REJECTING_OBJECTS,
  report,
  submission,
  task,
  taskInReview,
  verdict,
  verification,
} from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

let started: [string, unknown][] = [];
let completions: string[] = [];
beforeEach(() => {
  started = [];
  completions = [];
});

const machines = {
  startExecution: async (_arn: string, name: string, input: { readonly stage: string }) =>
    void started.push([name, input.stage]),
} as unknown as StepFunctionsClient;
const at = (now: Date): TaskProjectionContext => ({
  tasks: table.tasks,
  locks: table.locks,
  counts: table.counts,
  beliefs: table.beliefs,
  breakers: { recordMark: async () => undefined },
  mergedWork: { put: async () => undefined },
  pullRequests: { record: async () => null },
  spend: table.spend,
  stateMachines: machines,
  cascadeMachineArn: 'arn',
  now: () => now,
  onCompletion: (task) => void completions.push(task.id),
});
const round = (now: Date, more: Partial<ReconcileContext> = {}) =>
  reconcileTasks({
    ...at(now),
    deadlines: table.deadlines,
    workRequests: table.requests,
    heartbeats: table.beats,
    register: table.register,
    graceSeconds: START_GRACE_SECONDS,
    isAfterRestart: false,
    hasTimeLeft: () => true,
    ...more,
  });
let made = 0;
/** Puts a task into the table as it is. */
const put = async (of: Task): Promise<Task> => {
  made += 1;
  return (await table.tasks.create({ ...of, id: `put-${made}`, run: Math.max(1, of.run) })).task;
};
const submit = async (request: Partial<TaskSubmissionInput> = {}): Promise<Task> =>
  (
    await submitTask(submission(request), {
      tasks: table.tasks,
      now: FIXED_NOW,
      submitter: 'ann',
      idempotencyKey: null,
      allowFileRepositories: false,
      pushScopes: [],
      agents: ANY_AGENTS,
      objects: REJECTING_OBJECTS,
    })
  ).task;
/** The task after its repository was asked. */
const resolved = async ({ id, base_ref, role }: Task): Promise<Task> => {
  await table.tasks.applyCommand(id, (task) =>
    recordResolvedBase(task, { commit: base_ref, role: resolveBuiltinRole(role), autonomy: null }, FIXED_NOW),
  );
  return table.tasks.require(id);
};
const claim = (role: string, now = FIXED_NOW) =>
  claimNextOpenTask(role, {
    tasks: table.tasks,
    locks: table.locks,
    now,
    claimant: 'bob',
    leaseSeconds: 120,
  });
const now = async (id: string): Promise<Task> => table.tasks.require(id);

describe('a lease', () => {
  it('that runs out reopens the task for another claimer, and the first one is told that it is late', async () => {
    const { id } = await submit({ runner: 'external', role: 'lease' });
    const first = await claim('lease');
    await round(addSeconds(119));
    expect((await now(id)).status).toBe('claimed');
    await round(addSeconds(121));
    expect(await now(id)).toMatchObject({ status: 'open', retries: 1, attempts: [{ outcome: 'expired' }] });
    const second = await claim('lease', addSeconds(122));
    expect(second.attempt).toBe(2);
    await expect(
      table.tasks.applyCommand(id, (task) => renewLease(task, first.attempt, 120, addSeconds(123))),
    ).rejects.toThrow(Refusal);
  });

  it('fails the task only when its retries are used up', async () => {
    const { id } = await submit({ runner: 'external', role: 'short', max_retries: 1 });
    await claim('short');
    await round(addSeconds(200));
    await claim('short', addSeconds(300));
    await round(addSeconds(500));
    expect(await now(id)).toMatchObject({ status: 'failed', failure: { code: 'lease_expired' } });
  });
});

/** Where executions of a task were started. */
const of = (id: string): unknown[] =>
  started.flatMap(([name, stage]) => (name.startsWith(`${id}-r`) ? [stage] : []));

describe('a step that nobody does', () => {
  it('is started once its grace is over, of the same run, and again after as long as nothing has happened', async () => {
    const { id } = await submit();
    await round(addSeconds(29));
    expect(started).toEqual([]);
    await round(addSeconds(31));
    expect(started).toEqual([[`${id}-r1`, 'resolve_base']]);
    // It may be on its way by now.
    await round(addSeconds(90));
    expect(started).toHaveLength(1);
    await round(addSeconds(92));
    await round(addSeconds(180));
    expect(started).toHaveLength(2);
    await round(addSeconds(190));
    expect(started).toHaveLength(3);
    expect((await now(id)).run).toBe(1);
  });

  it('is started by a new run when the whole machine was gone, at once: also what models are being asked about', async () => {
    const judging = { run: 1, expires_at: addSeconds(300).toISOString(), execution_id: 'somebody' };
    const { id } = await put(taskInReview({ verification: verification(), judging_claim: judging }));
    await round(addSeconds(31));
    expect([of(id), (await now(id)).run]).toEqual([[], 1]);
    await round(addSeconds(31), { isAfterRestart: true, graceSeconds: 0 });
    expect([of(id), (await now(id)).run]).toEqual([[], 2]);
  });

  it('is not started while models are asked, and is when nobody has said what they answered', async () => {
    const judging = { run: 1, expires_at: addSeconds(300).toISOString(), execution_id: 'somebody' };
    const { id } = await put(taskInReview({ verification: verification(), judging_claim: judging }));
    await round(addSeconds(299));
    expect(of(id)).toEqual([]);
    await round(addSeconds(301));
    expect(of(id)).toEqual(['verify']);
  });
});

describe('a box that nobody brings', () => {
  it('is asked for by a new run, so that its older messages are nothing: soon at first, later seldom', async () => {
    const { id } = await put(taskInReview({ report: report({ at: FIXED_NOW.toISOString() }) }));
    const asked: number[] = [];
    for (let run = 2; run < 8; run++) {
      const due = Date.parse((await table.deadlines.get(id))?.deadline ?? '') + 1;
      await round(new Date(due));
      expect((await now(id)).run).toBe(run);
      asked.push(Math.round((due - FIXED_NOW.getTime()) / 1_000));
    }
    expect(asked).toEqual([210, 420, 840, 1_680, 2_580, 3_480]);
    expect(of(id)).toEqual([]);
  });

  it('and that an entry says is on its way is left alone', async () => {
    const { id } = await put(taskInReview({ gates: launch({ number: 1 }) }));
    await table.register.admit({ name: `${id}/1/gates/1`, by: 'ann', priority: 2 }, 'spot', 1_024, FIXED_NOW);
    await round(addSeconds(1_000));
    expect((await now(id)).run).toBe(1);
  });
});

describe('a round', () => {
  it('looks once at what waits for another or is over, and never at what is open for outside agents or held', async () => {
    const own = await createTestTable();
    const waiting: Task[] = [
      task({ id: 'open' }, { runner: 'external' }),
      task({ id: 'blocked', status: 'blocked', waits_for: 'open' }),
      task({ id: 'behind', waits_for: 'held' }),
      taskInReview({}, { id: 'held', hold: { reasons: [], since: FIXED_NOW.toISOString() } }),
      task({ id: 'over', status: 'done' }),
    ];
    for (const each of waiting) await own.tasks.create(each);
    await own.tasks.create(task({ id: 'due', run: 1 }));
    const { tasks, deadlines, locks, counts, beliefs, spend } = own;
    const looked = async (after: number) =>
      (await round(addSeconds(after), { tasks, deadlines, locks, counts, beliefs, spend })).checked;
    expect(await looked(60)).toBe(1);
    expect(await looked(121)).toBe(4);
    await own.tasks.applyCommand('due', (each) => failTaskByOperator(each, 'x', 'ann', addSeconds(200)));
    expect(await looked(86_400 * 400)).toBe(1);
    expect(await looked(86_400 * 400)).toBe(0);
    await own.close();
  });

  it('looks at the most overdue first, and what it has no time for comes first in the next one', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 25; index++)
      ids.push((await put(task({ updated_at: addSeconds(-index).toISOString() }))).id);
    let batches = 0;
    await round(addSeconds(60), { hasTimeLeft: () => ++batches < 2 });
    const begun = (): string[] => started.map(([name]) => name.replace(/-r1$/, '')).toSorted();
    expect(begun()).toEqual(ids.slice(5).toSorted());
    await round(addSeconds(60));
    expect(begun()).toEqual(ids.toSorted());
  });

  it('is not held up by tasks that cannot be put right', async () => {
    const bad = await put(task({ updated_at: addSeconds(-100).toISOString() }));
    const good = await put(task());
    const failing = {
      startExecution: async (arn: string, name: string, input: unknown) => {
        if (name.startsWith(bad.id)) throw new Error('no answer');
        await machines.startExecution(arn, name, input);
      },
    } as unknown as StepFunctionsClient;
    const first = await round(addSeconds(60), { stateMachines: failing });
    expect(first.failed).toEqual([`${bad.id}: no answer`]);
    expect(started).toEqual([[`${good.id}-r1`, 'select_model']]);
    expect((await round(addSeconds(61), { stateMachines: failing })).failed).toEqual([]);
    await round(addSeconds(300));
    expect(started.map(([name]) => name)).toContain(`${bad.id}-r1`);
  });
});

it('gives every task in every state a deadline, or an event that it waits for', () => {
  const states = fc.record({
    status: fc.constantFrom(...TASK_STATUSES),
    runner: fc.constantFrom('managed' as const, 'external' as const),
    waits: fc.boolean(),
    held: fc.boolean(),
    known: fc.boolean(),
  });
  fc.assert(
    fc.property(states, ({ status, runner, waits, held, known }) => {
      const of = task({
        status,
        runner,
        base_commit: known ? fakeSha1('a') : null,
        run: 1,
        waits_for: waits && (status === 'open' || status === 'blocked') ? 'W' : null,
        hold: held && status === 'in_review' ? { reasons: [], since: FIXED_NOW.toISOString() } : null,
        attempts: status === 'open' || status === 'blocked' ? [] : [attempt()],
      });
      // Whoever acts on those comes to the API.
      const waitsForSomebody =
        of.waits_for === null &&
        !isTerminalStatus(status) &&
        (status === 'blocked' ||
          // An approval whose policy has no limit.
          status === 'auth_required' ||
          of.hold !== null ||
          (status === 'open' && runner === 'external' && known));
      expect(computeTaskDeadline(of) === null).toBe(waitsForSomebody);
    }),
  );
});

describe('a delivery that nobody hears of again', () => {
  const delivering = () =>
    put(
      taskInReview(
        {
          verdict: verdict(),
          decision: {
            action: 'accept',
            reason: 'r',
            next_model: null,
            next_tier: null,
            at: FIXED_NOW.toISOString(),
          },
          deliver: launch(),
        },
        { run: 1 },
      ),
    );
  const longest = DELIVERY_LIMIT_SECONDS.queue + DELIVERY_LIMIT_SECONDS.run;

  it('has all of its time, and is lost when that is over: it is delivered again', async () => {
    const { id, run } = await delivering();
    await round(addSeconds(longest - 1));
    expect((await now(id)).run).toBe(run);
    await round(addSeconds(longest + 1));
    expect(await now(id)).toMatchObject({ run: run + 1, attempts: [{ deliver: { lost: true } }] });
  });

  it('is lost at once where the machine was down: no function has outlived it', async () => {
    const { id, run } = await delivering();
    await round(addSeconds(1), { isAfterRestart: true, graceSeconds: 0 });
    const after = await now(id);
    expect(after).toMatchObject({ attempts: [{ deliver: { lost: true } }] });
    expect(after.run).toBeGreaterThan(run);
  });
});

describe('a record that the stream has given up', () => {
  it('of an end is made up for: who waits goes on, files are free, the completion is counted, once', async () => {
    const repository = 'https://example.test/given-up.git';
    const ending = await submit({ repository, files: ['a.ts'], runner: 'external', role: 'given-up' });
    const waiter = await submit({ depends_on: [ending.id], runner: 'external' });
    const claimed = await claim('given-up');
    const decision = { action: 'accept' as const, reason: 'r', next_model: null, next_tier: null };
    await table.tasks.applyCommand(claimed.task, (each) => ({
      event: 'report',
      task: {
        ...each,
        status: 'in_review',
        version: each.version + 1,
        attempts: taskInReview({ verdict: verdict(), decision: { ...decision, at: FIXED_NOW.toISOString() } })
          .attempts,
        delivery: {
          state: 'delivered',
          base_commit: fakeSha1('a'),
          tree: fakeSha1('b'),
          branch: 'b',
          commit: null,
          reason: null,
          at: FIXED_NOW.toISOString(),
        },
      },
    }));
    expect(
      (await table.tasks.applyCommand(ending.id, (each) => finishTaskAfterCascade(each, FIXED_NOW))).status,
    ).toBe('done');
    expect((await now(waiter.id)).status).toBe('blocked');
    await round(addSeconds(119));
    expect((await now(waiter.id)).status).toBe('blocked');
    await round(addSeconds(121));
    expect(await now(waiter.id)).toMatchObject({ status: 'open', waits_for: null });
    const rival = await submit({ repository, files: ['a.ts'] });
    expect(await table.locks.acquire(rival, FIXED_NOW)).toBeNull();
    await round(addSeconds(10_000));
    expect(completions).toEqual([ending.id]);
  });

  it('of a wait that began just after the end of what it waits for is made up for', async () => {
    const dependency = await submit();
    const waiter = await submit({ depends_on: [dependency.id] });
    await table.tasks.applyCommand(dependency.id, (each) =>
      failTaskByOperator(each, 'x', 'ann', addSeconds(-1_000)),
    );
    await round(addSeconds(-800));
    const late = await put({ ...waiter, waits_for: dependency.id });
    await round(addSeconds(121));
    expect((await now(late.id)).blocked_reason?.code).toBe('dependency_failed');
  });
});

describe('following the stream', () => {
  it('opens who waits, releases files and counts the completion once, however often the record comes', async () => {
    const repository = 'https://example.test/follow.git';
    const first = await resolved(await submit({ repository, files: ['a.ts'] }));
    const waiter = await submit({ depends_on: [first.id] });
    const cascade = {
      tasks: table.tasks,
      deadlines: table.deadlines,
      locks: table.locks,
      models: DEFAULT_TIER_MODELS,
      now: FIXED_NOW,
    };
    await runSelectModelStep(first.id, 1, cascade);
    const rival = await resolved(await submit({ repository, files: ['a.ts'] }));
    expect(await runSelectModelStep(rival.id, 1, cascade)).toMatchObject({ stage: 'waiting' });

    const decision = {
      action: 'accept' as const,
      reason: 'r',
      next_model: null,
      next_tier: null,
      at: FIXED_NOW.toISOString(),
    };
    const reviewed = await table.tasks.applyCommand(first.id, (task) => ({
      event: 'keep',
      task: {
        ...taskInReview({ verdict: verdict({ verified: false }), decision }),
        id: first.id,
        repository,
        files: ['a.ts'],
        version: task.version + 1,
      },
    }));
    const done = await table.tasks.applyCommand(first.id, (task) => finishTaskAfterCascade(task, FIXED_NOW));
    expect(done.status).toBe('done');
    for (let time = 0; time < 3; time++) await applyTaskWriteEffects(reviewed, done, at(FIXED_NOW));
    expect(completions).toEqual([first.id]);
    expect(await now(waiter.id)).toMatchObject({ status: 'open', run: 1 });
    expect(await now(rival.id)).toMatchObject({ status: 'open', waits_for: null, run: 2 });
    expect(await runSelectModelStep(rival.id, 2, cascade)).toMatchObject({ stage: 'run_agent' });
  });

  it('wakes nobody who was overtaken: a waiter written just after the end looks for itself', async () => {
    const dependency = await submit();
    const waiter = await submit({ depends_on: [dependency.id] });
    const failed = await table.tasks.applyCommand(dependency.id, (task) =>
      failTaskByOperator(task, 'x', 'ann', FIXED_NOW),
    );
    await applyTaskWriteEffects(null, waiter, at(FIXED_NOW));
    expect(await now(waiter.id)).toMatchObject({
      status: 'blocked',
      blocked_reason: { code: 'dependency_failed', task_id: failed.id },
    });
  });

  it('starts each run by its own name, in whatever order the records come', async () => {
    const made = await submit();
    await applyTaskWriteEffects({ ...made, run: 1 }, { ...made, run: 2 }, at(FIXED_NOW));
    await applyTaskWriteEffects(null, made, at(FIXED_NOW));
    expect(started.map(([name]) => name)).toEqual([`${made.id}-r2`, `${made.id}-r1`]);
  });
});

describe('a hold', () => {
  const hold = {
    reasons: ['r'],
    since: FIXED_NOW.toISOString(),
    expires_at: addSeconds(600).toISOString(),
    expiry_outcome: 'fail' as const,
  };

  it('that nobody has ended in time is ended by the next round, and not before', async () => {
    const { id } = await put(taskInReview({ verdict: verdict({ verdict: 'refer' }) }, { hold }));
    await round(addSeconds(599));
    expect(await now(id)).toMatchObject({ status: 'in_review', hold });
    await round(addSeconds(599), { isAfterRestart: true });
    expect(await now(id)).toMatchObject({ status: 'in_review', hold });
    await round(addSeconds(601));
    expect(await now(id)).toMatchObject({ status: 'failed', failure: { code: 'review_expired' } });
  });

  it('is listed with what else waits for a person, page by page, and with nothing besides', async () => {
    const repository = 'https://example.test/reviews.git';
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const waits = taskInReview({}, { hold, repository, created_at: addSeconds(index).toISOString() });
      ids.push((await put(waits)).id);
      await put({ ...waits, hold: null });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listReviews({ repository, limit: 2, cursor }, table.tasks);
      seen.push(...page.reviews.map((each) => each.id));
      expect(page.reviews[0]).toMatchObject({
        reasons: ['r'],
        since: hold.since,
        expires_at: hold.expires_at,
        expiry_outcome: 'fail',
      });
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(ids);
    expect((await listReviews({ repository, limit: 9 }, table.tasks, () => false)).reviews).toEqual([]);
  });
});
