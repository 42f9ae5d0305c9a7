import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestView } from '../../../../shared/api/request-view.ts';
import { Requirement, type WorkRequest } from '../../../../shared/contract/intake/schema.ts';
import {
  isOverRequest,
  REQUEST_MOVES,
  REQUEST_STATUSES,
  REQUEST_STEPS,
  walk,
} from '../../../../shared/contract/intake/status.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { isTerminal } from '../../../../shared/contract/task/status.ts';
import {
  approveRequest,
  clarify,
  type Moved,
  newRequest,
  rejectRequest,
  taskOf,
} from '../../../../shared/control/intake/commands.ts';
import { reconcile } from '../../../../shared/use-cases/operate/reconcile.ts';
import { followRequest } from '../../../../shared/use-cases/submit/requests.ts';
import { later, NOW, submission, task } from '../../../support/builders.ts';
import { testTable } from '../../../support/dynalite.ts';

let table: Awaited<ReturnType<typeof testTable>>;
beforeAll(async () => {
  table = await testTable();
});
afterAll(() => table.close());

const requirement = (fields: object = {}): Requirement => {
  const {
    hidden_tests: _hidden,
    id: _id,
    ...rest
  } = submission({ acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'] });
  return Requirement.parse({ ...rest, ...fields });
};
let made = 0;
const request = (fields: object = {}, strategy: WorkRequest['strategy'] = 'review'): WorkRequest =>
  newRequest(requirement(fields), { id: `R${++made}`, by: 'client', strategy, now: NOW });
const of = (moved: Moved | null): WorkRequest => {
  if (!moved) throw new Error('nothing moved');
  return moved.request;
};
const context = () => ({ requests: table.requests, tasks: table.tasks, now: () => later(1) });

describe('the states of a request', () => {
  it.each([
    ['submitted', ['triaging', 'cancelled']],
    ['triaging', ['scoping', 'cancelled']],
    ['scoping', ['approved', 'cancelled']],
    ['approved', ['task_created', 'cancelled']],
    ['task_created', []],
    ['cancelled', []],
  ] as const)('%s is followed by those of its row and no other, nor by itself', (from, to) => {
    expect(REQUEST_STEPS[from]).toEqual(to);
  });

  it('are only left by moves that walk along those steps', () => {
    for (const { from, to } of Object.values(REQUEST_MOVES))
      for (const status of from) {
        const steps = walk(status, to) ?? [];
        expect(steps.at(-1), `${status} to ${to}`).toBe(to);
        steps.reduce(
          (at, next) => {
            expect(REQUEST_STEPS[at]).toContain(next);
            return next;
          },
          status as WorkRequest['status'],
        );
      }
    expect(REQUEST_STATUSES.filter(isOverRequest)).toEqual(['task_created', 'cancelled']);
  });

  it('are walked through in one write, and each is kept with its time', () => {
    const yes = of(approveRequest(request(), 'ann', later(5)));
    expect(yes.history.map(({ status }) => status)).toEqual(['submitted', 'triaging', 'scoping', 'approved']);
    expect(yes.version).toBe(2);
    expect(request({}, 'direct').history.at(-1)).toMatchObject({ status: 'approved', by: 'direct' });
  });

  it('are not left by a word that comes too late', () => {
    const over = of(rejectRequest(request(), 'no', 'ann', NOW));
    expect(() => approveRequest(over, 'ann', NOW)).toThrow(/is cancelled/);
    expect(rejectRequest(over, 'again', 'ann', NOW)).toBeNull();
    expect(() => clarify(of(approveRequest(request(), 'ann', NOW)), { notes: 'n' }, 'ann', NOW)).toThrow(
      Refusal,
    );
  });
});

describe('a request that is unclear', () => {
  const vague = (strategy: WorkRequest['strategy'] = 'review') =>
    request({ acceptance_criteria: ['It is done now'] }, strategy);

  it('is not approved before somebody has said what is meant, and is then', () => {
    expect(() => approveRequest(vague(), 'ann', NOW)).toThrow(
      /needs clarification: says nothing of this work/,
    );
    const said = of(clarify(vague(), { notes: 'half to even, prices only' }, 'ann', NOW));
    expect(of(approveRequest(said, 'ann', NOW)).status).toBe('approved');
  });

  it('waits for a person also where nobody has to say yes', () => {
    expect(vague('direct').status).toBe('submitted');
    expect(request({}, 'direct').status).toBe('approved');
  });

  it('says why, as long as it waits', () => {
    expect(requestView(vague()).unclear).toHaveLength(1);
    expect(requestView(request()).unclear).toEqual([]);
    expect(requestView(of(rejectRequest(vague(), 'no', 'ann', NOW))).unclear).toEqual([]);
  });
});

describe('what a request has to fulfil', () => {
  it('goes to its task unchanged, whatever is clarified: not as the sources of the seed, which drop it', () => {
    const said = of(clarify(request(), { notes: 'prices only', title: 'Round prices' }, 'ann', NOW));
    const asked = taskOf(said);
    expect(asked).toMatchObject({
      title: 'Round prices',
      acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'],
    });
    expect(asked.description).toContain('prices only');
  });
});

describe('a yes', () => {
  const enter = async (fields: object = {}): Promise<string> => {
    const { request: entered } = await table.requests.enter(of(approveRequest(request(fields), 'ann', NOW)));
    return entered.id;
  };

  it('makes the task, once, however often it is followed', async () => {
    const id = await enter();
    await Promise.all([followRequest(id, context()), followRequest(id, context())]);
    await followRequest(id, context());
    expect(await table.requests.demand(id)).toMatchObject({ status: 'task_created', task_id: id });
    expect(await table.tasks.get(id)).toMatchObject({
      version: 1,
      created_by: 'client',
      acceptance_criteria: ['2.5 becomes 2', 'Half goes to even'],
    });
  });

  it('that no task can follow from ends the request with the reason', async () => {
    const id = await enter({ depends_on: ['nowhere'] });
    await followRequest(id, context());
    expect(await table.requests.demand(id)).toMatchObject({
      status: 'cancelled',
      reason: expect.stringContaining('nowhere'),
    });
    const taken = await enter();
    await table.tasks.create(task({ id: taken }));
    await followRequest(taken, context());
    expect(await table.requests.demand(taken)).toMatchObject({
      reason: expect.stringContaining('different task'),
    });
    expect((await table.tasks.get(taken))?.status).toBe('open');
  });

  it('that the stream has lost is followed when it is due', async () => {
    const id = await enter();
    await reconcile({
      ...table,
      machines: {} as never,
      cascadeMachine: 'arn',
      onCompletion: () => {},
      now: () => later(3_600),
      graceSeconds: 30,
      all: false,
      goOn: () => true,
    });
    expect((await table.requests.demand(id)).status).toBe('task_created');
  });
});

describe('words that come in whatever order, and steps that come twice or stop half way', () => {
  const act = fc.constantFrom('approve', 'reject', 'clarify', 'follow', 'half');

  it('end with a task or with a no, and never with a task of a request that was rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 6 }), async (acts) => {
        const { request: entered } = await table.requests.enter(request());
        const { id } = entered;
        const word = (command: (each: WorkRequest) => Moved | null) =>
          table.requests.advance(id, command).catch((error: unknown) => {
            if (!(error instanceof Refusal)) throw error;
          });
        for (const each of acts) {
          if (each === 'approve') await word((it) => approveRequest(it, 'ann', NOW));
          if (each === 'reject') await word((it) => rejectRequest(it, 'no', 'ann', NOW));
          if (each === 'clarify') await word((it) => clarify(it, { notes: 'n' }, 'ann', NOW));
          if (each === 'follow') await followRequest(id, context());
          // The task is made, and then the power is gone.
          if (each === 'half') {
            const broken = {
              ...context(),
              requests: {
                find: (of: string) => table.requests.find(of),
                advance: () => Promise.reject(new Error('gone')),
              },
            };
            await followRequest(id, broken as never).catch(() => {});
          }
        }
        await followRequest(id, context());
        const end = await table.requests.demand(id);
        const left = await table.tasks.get(id);
        if (end.status === 'task_created') expect(left?.status).toBe('open');
        else expect(left === null || isTerminal(left.status)).toBe(true);
        expect(end.status === 'approved').toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});
