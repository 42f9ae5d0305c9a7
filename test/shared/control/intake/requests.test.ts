import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workRequestView } from '../../../../shared/api/work-request-view.ts';
import { type WorkRequest, WorkRequestTaskSubmission } from '../../../../shared/contract/intake/schema.ts';
import {
  listWorkRequestStatusSteps,
  WORK_REQUEST_LIFECYCLE,
  WORK_REQUEST_STATUSES,
} from '../../../../shared/contract/intake/status.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { isTerminalStatus } from '../../../../shared/contract/task/status.ts';
import {
  approveWorkRequest,
  buildTaskSubmission,
  clarifyWorkRequest,
  createWorkRequest,
  rejectWorkRequest,
  type WorkRequestChange,
} from '../../../../shared/control/intake/commands.ts';
import { reconcileTasks } from '../../../../shared/use-cases/operate/reconcile-tasks.ts';
import { applyWorkRequestEffects } from '../../../../shared/use-cases/submit/work-requests.ts';
import { addSeconds, FIXED_NOW, submission, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const requirement = (fields: object = {}): WorkRequestTaskSubmission => {
  const {
    hidden_tests: _hidden,
    exam: _exam,
    id: _id,
    ...rest
  } = submission({ acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'] });
  return WorkRequestTaskSubmission.parse({ ...rest, ...fields });
};
let made = 0;
const request = (fields: object = {}, strategy: WorkRequest['strategy'] = 'review'): WorkRequest =>
  createWorkRequest(requirement(fields), { id: `R${++made}`, by: 'client', strategy, now: FIXED_NOW });
const of = (moved: WorkRequestChange | null): WorkRequest => {
  if (!moved) throw new Error('nothing moved');
  return moved.request;
};
const context = () => ({ workRequests: table.requests, tasks: table.tasks, now: () => addSeconds(1) });

describe('the states of a request', () => {
  it('follow each other as submitted, triaging, scoping, approved, task_created', () => {
    expect(listWorkRequestStatusSteps('submitted', 'task_created')).toEqual([
      'triaging',
      'scoping',
      'approved',
      'task_created',
    ]);
    expect(listWorkRequestStatusSteps('scoping', 'approved')).toEqual(['approved']);
    expect(listWorkRequestStatusSteps('approved', 'cancelled')).toEqual(['cancelled']);
  });

  it('are taken in their order, none left out, and cancelled is one step', () => {
    for (const { from, to } of Object.values(WORK_REQUEST_LIFECYCLE.transitions))
      for (const status of from) {
        const taken = [status, ...listWorkRequestStatusSteps(status, to ?? status)];
        const start = WORK_REQUEST_STATUSES.indexOf(status);
        expect(taken).toEqual(
          to === 'cancelled'
            ? [status, 'cancelled']
            : WORK_REQUEST_STATUSES.slice(start, start + taken.length),
        );
        expect(taken.at(-1)).toBe(to);
      }
  });

  it('are walked through in one write, and each is kept with its time', () => {
    const yes = of(approveWorkRequest(request(), 'ann', addSeconds(5)));
    expect(yes.history.map(({ status }) => status)).toEqual(['submitted', 'triaging', 'scoping', 'approved']);
    expect(yes.version).toBe(2);
    expect(request({}, 'direct').history.at(-1)).toMatchObject({ status: 'approved', by: 'direct' });
  });

  it('are not left by a word that comes too late', () => {
    const over = of(rejectWorkRequest(request(), 'no', 'ann', FIXED_NOW));
    expect(() => approveWorkRequest(over, 'ann', FIXED_NOW)).toThrow(/is cancelled/);
    expect(rejectWorkRequest(over, 'again', 'ann', FIXED_NOW)).toBeNull();
    expect(() =>
      clarifyWorkRequest(
        of(approveWorkRequest(request(), 'ann', FIXED_NOW)),
        { clarification: 'n' },
        'ann',
        FIXED_NOW,
      ),
    ).toThrow(Refusal);
  });
});

describe('a request that is unclear', () => {
  const vague = (strategy: WorkRequest['strategy'] = 'review') =>
    request({ acceptance_criteria: ['It is done now'] }, strategy);

  it('is not approved before somebody has said what is meant, and is then', () => {
    expect(() => approveWorkRequest(vague(), 'ann', FIXED_NOW)).toThrow(
      /needs clarification: says nothing of this work/,
    );
    const said = of(
      clarifyWorkRequest(vague(), { clarification: 'half to even, prices only' }, 'ann', FIXED_NOW),
    );
    expect(of(approveWorkRequest(said, 'ann', FIXED_NOW)).status).toBe('approved');
  });

  it('waits for a person also where nobody has to say yes', () => {
    expect(vague('direct').status).toBe('submitted');
    expect(request({}, 'direct').status).toBe('approved');
  });

  it('says why, as long as it waits', () => {
    expect(workRequestView(vague()).unclear_reasons).toHaveLength(1);
    expect(workRequestView(request()).unclear_reasons).toEqual([]);
    expect(workRequestView(of(rejectWorkRequest(vague(), 'no', 'ann', FIXED_NOW))).unclear_reasons).toEqual(
      [],
    );
  });
});

describe('what a request has to fulfil', () => {
  it('goes to its task unchanged, whatever is clarified: not as the sources of the seed, which drop it', () => {
    const said = of(
      clarifyWorkRequest(
        request(),
        { clarification: 'prices only', title: 'Round prices' },
        'ann',
        FIXED_NOW,
      ),
    );
    const asked = buildTaskSubmission(said);
    expect(asked).toMatchObject({
      title: 'Round prices',
      acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'],
    });
    expect(asked.description).toContain('prices only');
  });
});

describe('a yes', () => {
  const enter = async (fields: object = {}): Promise<string> => {
    const { request: entered } = await table.requests.create(
      of(approveWorkRequest(request(fields), 'ann', FIXED_NOW)),
    );
    return entered.id;
  };

  it('makes the task, once, however often it is followed', async () => {
    const id = await enter();
    await Promise.all([applyWorkRequestEffects(id, context()), applyWorkRequestEffects(id, context())]);
    await applyWorkRequestEffects(id, context());
    expect(await table.requests.require(id)).toMatchObject({ status: 'task_created', task_id: id });
    expect(await table.tasks.get(id)).toMatchObject({
      version: 1,
      created_by: 'client',
      acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'],
    });
  });

  it('that no task can follow from ends the request with the reason', async () => {
    const id = await enter({ depends_on: ['nowhere'] });
    await applyWorkRequestEffects(id, context());
    expect(await table.requests.require(id)).toMatchObject({
      status: 'cancelled',
      reason: expect.stringContaining('nowhere'),
    });
    const taken = await enter();
    await table.tasks.create(task({ id: taken }));
    await applyWorkRequestEffects(taken, context());
    expect(await table.requests.require(taken)).toMatchObject({
      reason: expect.stringContaining('different task'),
    });
    expect((await table.tasks.get(taken))?.status).toBe('open');
  });

  it('that the stream has lost is followed when it is due', async () => {
    const id = await enter();
    await reconcileTasks({
      ...table,
      heartbeats: table.beats,
      workRequests: table.requests,
      stateMachines: {} as never,
      cascadeMachineArn: 'arn',
      onCompletion: () => {},
      now: () => addSeconds(3_600),
      graceSeconds: 30,
      isAfterRestart: false,
      hasTimeLeft: () => true,
    });
    expect((await table.requests.require(id)).status).toBe('task_created');
  });
});

describe('words that come in whatever order, and steps that come twice or stop half way', () => {
  const act = fc.constantFrom('approve', 'reject', 'clarify', 'follow', 'half');

  it('end with a task or with a no, and never with a task of a request that was rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 6 }), async (acts) => {
        const { request: entered } = await table.requests.create(request());
        const { id } = entered;
        const word = (command: (each: WorkRequest) => WorkRequestChange | null) =>
          table.requests.applyCommand(id, command).catch((error: unknown) => {
            if (!(error instanceof Refusal)) throw error;
          });
        for (const each of acts) {
          if (each === 'approve') await word((it) => approveWorkRequest(it, 'ann', FIXED_NOW));
          if (each === 'reject') await word((it) => rejectWorkRequest(it, 'no', 'ann', FIXED_NOW));
          if (each === 'clarify')
            await word((it) => clarifyWorkRequest(it, { clarification: 'n' }, 'ann', FIXED_NOW));
          if (each === 'follow') await applyWorkRequestEffects(id, context());
          // The task is made, and then the power is gone.
          if (each === 'half') {
            const broken = {
              ...context(),
              workRequests: {
                find: (of: string) => table.requests.find(of),
                applyCommand: () => Promise.reject(new Error('gone')),
              },
            };
            await applyWorkRequestEffects(id, broken as never).catch(() => {});
          }
        }
        await applyWorkRequestEffects(id, context());
        const end = await table.requests.require(id);
        const left = await table.tasks.get(id);
        if (end.status === 'task_created') expect(left?.status).toBe('open');
        else expect(left === null || isTerminalStatus(left.status)).toBe(true);
        expect(end.status === 'approved').toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});
