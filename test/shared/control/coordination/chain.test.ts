import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AUTONOMY_LEVELS } from '../../../../shared/contract/approval/autonomy.ts';
import {
  COORDINATION_HOOKS,
  COORDINATION_MIDDLEWARE_NAMES,
} from '../../../../shared/contract/coordination/coordination-names.ts';
import {
  advanceProgressLedger,
  carryProgressLedgerIntoReplan,
  type ProgressLedger,
  shouldReplan,
} from '../../../../shared/contract/coordination/ledgers.ts';
import { CoordinationSettings } from '../../../../shared/contract/coordination/settings.ts';
import { Plan } from '../../../../shared/contract/plan/schema.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { COORDINATION_MIDDLEWARE } from '../../../../shared/control/coordination/builtin.ts';
import {
  type CoordinationMiddleware,
  runCoordinationHook,
} from '../../../../shared/control/coordination/context.ts';
import {
  buildCoordinationChain,
  derivePlanProgress,
  toPlanCoordinationContext,
} from '../../../../shared/control/coordination/plan-coordination.ts';
import { decidePlanDispatch } from '../../../../shared/control/coordination/plan-review.ts';
import { buildReplanTask } from '../../../../shared/control/coordination/replan.ts';
import { ClarificationRequiredError } from '../../../../shared/control/failures/thrown-errors.ts';
import { plannedTaskId } from '../../../../shared/control/planning/planned-tasks.ts';
import { addSeconds, attempt, FIXED_NOW, task } from '../../../support/builders.ts';

const settings = (more: object = {}) => CoordinationSettings.parse(more);
const proposal = {
  ...Plan.parse({
    tasks: ['a', 'b', 'c', 'd'].map((key) => ({
      key,
      title: `Do ${key}`,
      completion_signals: [{ type: 'path_exists', path: 'x' }],
    })),
  }),
  notes: [],
};
const planned = (more: Partial<Task> = {}, coordination = settings()): Task =>
  task({
    description: 'Prices are rounded half to even',
    base_autonomy: null,
    plan: { max_tasks: 5, proposal, coordination },
    ...more,
  });
const ends = (plan: Task, ...statuses: readonly ('done' | 'failed')[]): Map<string, Task> =>
  new Map(
    statuses.map((status, index) => {
      const id = plannedTaskId(plan.id, 'abcd'[index] ?? '');
      const failure =
        status === 'failed' ? { code: 'verification_failed', message: 'you must see /project/x.js' } : null;
      return [id, task({ id, status, failure, ended_at: addSeconds(index + 1).toISOString() })];
    }),
  );

describe('the chain between a goal and its tasks', () => {
  test('has five hooks and six names by default, as the seed', () => {
    expect(COORDINATION_HOOKS).toEqual([
      'before_decompose',
      'after_decompose',
      'before_dispatch',
      'after_rollup',
      'before_update_parent',
    ]);
    expect(settings().chain).toEqual([...COORDINATION_MIDDLEWARE_NAMES]);
  });

  test.each([
    ['clarification_gate', ['before_decompose']],
    ['task_ledger', ['before_dispatch']],
    ['plan_review_gate', ['before_dispatch']],
    ['progress_ledger', ['after_rollup']],
    ['coordination_replan', ['after_rollup']],
    ['authority_deference_coordination', ['before_update_parent']],
  ] as const)('%s acts in %j', (name, hooks) => {
    expect(Object.keys(COORDINATION_MIDDLEWARE[name]).filter((key) => key !== 'name')).toEqual(hooks);
  });

  test.each(COORDINATION_HOOKS)(
    'passes %s from the first to the last, and what one throws ends it',
    (hook) => {
      const says = (what: string): CoordinationMiddleware => ({
        name: 'task_ledger',
        [hook]: (context: ReturnType<typeof toPlanCoordinationContext>) => ({
          ...context,
          goal: context.goal + what,
        }),
      });
      const start = { ...toPlanCoordinationContext(planned()), goal: '' };
      expect(runCoordinationHook([says('A'), says('B'), says('C')], hook, start).goal).toBe('ABC');
      const bad: CoordinationMiddleware = {
        name: 'task_ledger',
        [hook]: () => {
          throw new Error('broken');
        },
      };
      expect(() => runCoordinationHook([says('A'), bad, says('C')], hook, start)).toThrow('broken');
    },
  );

  test.each([
    [{ chain: ['coordination_replan', 'progress_ledger'] }],
    [{ chain: ['task_ledger', 'task_ledger'] }],
    [{ chain: ['nope'] }],
    [{ clarification_gate: { min_criterion_length: 0 } }],
    [{ replan_strategy: 'always' }],
  ])('%j is refused', (more) => {
    expect(CoordinationSettings.safeParse(more).success).toBe(false);
  });

  test('clarification_gate ends it before anything is planned, with the first five reasons and how many more', () => {
    const context = {
      ...toPlanCoordinationContext(planned()),
      criteria: Array.from({ length: 7 }, (_, index) => `c${index}`),
    };
    const run = (): unknown =>
      runCoordinationHook(buildCoordinationChain(settings()), 'before_decompose', context);
    expect(run).toThrow(ClarificationRequiredError);
    expect(run).toThrow(/"c4"; and 2 more$/);
  });
});

describe('plan_review_gate', () => {
  test.each([
    ['full', null],
    ['semi', null],
    ['supervised', 'supervised'],
    ['locked', 'locked'],
  ] as const)('at %s: a person is asked because %s', (autonomy, why) => {
    const { gateReason, context } = decidePlanDispatch(planned({ autonomy }));
    if (why === null) {
      expect(gateReason).toBeNull();
      expect(context.metadata['plan_review_gate']).toEqual({ gated: false, autonomy_level: autonomy });
    } else expect(gateReason).toContain(why);
    expect(context.task_ledger).toMatchObject({
      plan_version: 1,
      plan_text: expect.stringContaining('a: Do a'),
    });
  });

  test('asks a person where nobody has named a level, which for the seed is full', () => {
    expect(decidePlanDispatch(planned()).gateReason).toContain('not named');
  });

  test.each(AUTONOMY_LEVELS)('goes by the lower of what is asked for and %s of the base', (base_autonomy) => {
    const lets = base_autonomy === 'full' || base_autonomy === 'semi';
    expect(decidePlanDispatch(planned({ autonomy: 'full', base_autonomy })).gateReason === null).toBe(lets);
  });

  test('cannot be left out to do without the person', () => {
    const plan = planned({ autonomy: 'full' }, settings({ chain: ['task_ledger'] }));
    expect(decidePlanDispatch(plan).gateReason).not.toBeNull();
  });
});

describe('task_ledger', () => {
  test('has goal and criteria as fenced facts, and the same text each time it is derived', () => {
    const plan = planned({ acceptance_criteria: ['2.5 becomes 2'] });
    const ledger = decidePlanDispatch(plan).context.task_ledger;
    expect(ledger?.known_facts).toHaveLength(2);
    expect(ledger?.known_facts[1]).toMatch(/^<<<UNTRUSTED task-fact fact\n2\.5 becomes 2/);
    expect(decidePlanDispatch(plan).context.task_ledger).toEqual(ledger);
  });

  test('is none where nothing is planned', () => {
    expect(
      decidePlanDispatch(planned({ plan: { max_tasks: 1, proposal: null } })).context.task_ledger,
    ).toBeNull();
  });
});

const ledger = (more: Partial<ProgressLedger> = {}): ProgressLedger => ({
  ...advanceProgressLedger(null, 0, []),
  ...more,
});

describe('progress_ledger', () => {
  test.each([
    [null, 0, { round: 1, stall_count: 1, next_action: 'replan' }],
    [null, 1, { round: 1, stall_count: 0, next_action: 'continue' }],
    [ledger(), 0, { round: 2, stall_count: 2, next_action: 'replan' }],
    [ledger({ stall_count: 2 }), 0, { stall_count: 3, next_action: 'escalate' }],
    [ledger({ stall_count: 2 }), 1, { stall_count: 0, next_action: 'continue' }],
    [ledger({ reset_count: 2 }), 0, { reset_count: 2 }],
  ])('after %j and %i completed', (before, completed, after) => {
    expect(advanceProgressLedger(before, completed, [])).toMatchObject(after);
  });

  test('never counts a stall in a round with progress, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 10 }), (counts) => {
        let at: ProgressLedger | null = null;
        for (const count of counts) {
          at = advanceProgressLedger(at, count, []);
          expect(at.progress_made && at.stall_count > 0).toBe(false);
        }
        expect(at?.round ?? 0).toBe(counts.length);
      }),
      { numRuns: 50 },
    );
  });

  test('counts each task of the plan that has ended, in the order in which they did, with what failed', () => {
    const plan = planned();
    expect(derivePlanProgress(plan, new Map()).progress_ledger).toBeNull();
    expect(derivePlanProgress(plan, ends(plan, 'done', 'failed')).progress_ledger).toEqual({
      round: 2,
      completed_count: 1,
      progress_made: false,
      stall_count: 1,
      reset_count: 0,
      blocking_issues: ['b: verification_failed: you must see [REDACTED_PATH]'],
      next_action: 'replan',
    });
  });

  test('and what obedience is asked for in what they have said', () => {
    const plan = planned();
    const { metadata } = derivePlanProgress(plan, ends(plan, 'failed'));
    expect(metadata['authority_deference_coordination']).toEqual({ detected_count: 1 });
    expect(derivePlanProgress(plan, new Map()).metadata['authority_deference_coordination']).toEqual({
      detected_count: 0,
    });
  });
});

describe('coordination_replan', () => {
  test.each([
    [{ stall_count: 0 }, true, false],
    [{ stall_count: 1 }, true, true],
    [{ stall_count: 2 }, true, true],
    [{ stall_count: 3 }, true, false],
    [{ stall_count: 1, reset_count: 1 }, true, true],
    [{ stall_count: 1, reset_count: 2 }, true, false],
    [{ stall_count: 1 }, false, false],
  ])('%j, affordable %s: %s', (more, affordable, is) => {
    expect(shouldReplan(ledger(more), affordable)).toBe(is);
    expect(shouldReplan(null, affordable)).toBe(false);
  });

  test('never does anything by default', () => {
    const plan = planned();
    expect(derivePlanProgress(plan, ends(plan, 'failed')).replanLedger).toBeNull();
  });

  test('keeps what was completed, which the source loses, so that the next round is no progress by itself', () => {
    const before = ledger({ completed_count: 2, stall_count: 1 });
    expect(carryProgressLedgerIntoReplan(before)).toMatchObject({
      completed_count: 2,
      reset_count: 1,
      next_action: 'replan',
    });
    expect(advanceProgressLedger(carryProgressLedgerIntoReplan(before), 2, []).progress_made).toBe(false);
  });

  describe('adds up what planning and its tasks have cost against the budget of the plan', () => {
    const magentic = settings({ replan_strategy: 'magentic' });
    const plan = planned(
      { budget: { max_attempts: 3, max_cost_usd: 1 }, attempts: [attempt({ cost_usd: 0.1 })] },
      magentic,
    );
    const costing = (usd: number | null, ...ended: ('done' | 'failed')[]) =>
      new Map(
        [...ends(plan, ...ended)].map(([id, child]) => [
          id,
          { ...child, attempts: [attempt({ cost_usd: usd })] },
        ]),
      );

    test.each([
      ['with what is left', 0.6, ['failed'], 0.3],
      ['with nothing left not at all', 0.45, ['done', 'failed'], null],
      ['and counts what nobody knows as nothing', null, ['done', 'failed'], 0.9],
      ['as the tasks stood then: what is spent afterwards takes no plan back', 0.6, ['failed', 'done'], 0.3],
    ] as const)('%s', (_name, usd, ended, left) => {
      const { replanLedger, left_usd } = derivePlanProgress(plan, costing(usd, ...ended));
      expect(replanLedger === null ? null : left_usd).toBe(left);
      if (replanLedger)
        expect(buildReplanTask(plan, replanLedger, left_usd, FIXED_NOW).budget).toEqual({
          max_attempts: 3,
          max_cost_usd: left,
        });
    });

    test('also of tasks that another has taken the place of', () => {
      const made = costing(0.5, 'failed');
      const [[id, first] = []] = [...made];
      if (!id || !first) throw new Error('no task');
      made.set(id, { ...first, superseded_by: 'fix' });
      made.set('fix', { ...first, id: 'fix' });
      expect(derivePlanProgress(plan, made)).toMatchObject({ replanLedger: null, left_usd: 0 });
    });
  });

  test('plans anew once for each plan, twice at most, with what happened and no more rights', () => {
    const magentic = settings({ replan_strategy: 'magentic' });
    let plan = planned({ autonomy: 'supervised', budget: { max_attempts: 3 } }, magentic);
    for (const round of [1, 2]) {
      const { replanLedger } = derivePlanProgress(plan, ends(plan, 'failed', 'failed'));
      if (!replanLedger) throw new Error('not planned anew');
      const next = buildReplanTask(plan, replanLedger, undefined, FIXED_NOW);
      expect(buildReplanTask(plan, replanLedger, undefined, FIXED_NOW)).toEqual(next);
      expect(next).toMatchObject({ status: 'open', run: 1, autonomy: 'supervised', files: plan.files });
      expect(next.id).toMatch(new RegExp(`-r${round}$`));
      expect(next.description).toContain('a: verification_failed');
      expect(next.description.match(/What happened before/g)).toHaveLength(1);
      plan = {
        ...next,
        plan: { max_tasks: 5, proposal, coordination: magentic, progress_ledger: replanLedger },
      };
    }
    expect(derivePlanProgress(plan, ends(plan, 'failed')).replanLedger).toBeNull();
  });
});
