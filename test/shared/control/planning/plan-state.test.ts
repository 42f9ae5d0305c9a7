import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { PLAN_FILE, Plan, type PlanRequestFields } from '../../../../shared/contract/plan/schema.ts';
import { TASK_STATUSES } from '../../../../shared/contract/task/status.ts';
import { buildPromptParts } from '../../../../shared/control/cascade/agent-prompt.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { derivePlanState } from '../../../../shared/control/planning/plan-state.ts';
import { buildPlannedTasks } from '../../../../shared/control/planning/planned-tasks.ts';
import { shouldDeliver } from '../../../../shared/control/task-commands/finish-task.ts';
import {
  artifact,
  FIXED_NOW,
  fakeSha1,
  report,
  task,
  taskInReview,
  verdict,
} from '../../../support/builders.ts';

const planned = Plan.parse({
  tasks: [
    { key: 'b', title: 'B', depends_on: ['a'], completion_signals: [{ type: 'path_exists', path: 'b' }] },
    {
      key: 'a',
      title: 'A',
      files: ['x'],
      new_files: ['y'],
      completion_signals: [{ type: 'path_exists', path: 'a' }],
    },
    {
      key: 'c',
      title: 'C',
      depends_on: ['a', 'b'],
      completion_signals: [{ type: 'path_exists', path: 'c' }],
    },
  ],
});
const plan: PlanRequestFields = { max_tasks: 5, proposal: { tasks: planned.tasks, notes: [] } };
const reviewed = (fields: object = {}, attempt: object = {}) =>
  taskInReview(
    { report: report(), artifact: artifact(), verdict: verdict(), ...attempt },
    { plan, role: 'manager', ...fields },
  );
const approval = {
  decision: 'approve' as const,
  by: 'ann',
  reason: 'yes',
  at: FIXED_NOW.toISOString(),
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
};

describe('the state of a plan', () => {
  it.each([
    ['planning', task({ plan })],
    ['planning', reviewed()],
    ['proposed', reviewed({ hold: { reasons: [], since: FIXED_NOW.toISOString() } })],
    ['creating', reviewed({ review: approval })],
    ['planning', reviewed({ review: { ...approval, tree: fakeSha1('c') } })],
    ['planning', reviewed({ review: { ...approval, decision: 'reject' } })],
    ['created', { ...reviewed(), status: 'done' as const }],
    ['failed', { ...reviewed(), status: 'failed' as const }],
    ['cancelled', { ...reviewed(), status: 'cancelled' as const }],
  ])('is %s', (state, of) => {
    expect(derivePlanState(of)).toBe(state);
  });

  it.each(TASK_STATUSES)('is known for a task that is %s', (status) => {
    expect(derivePlanState({ ...reviewed(), status })).toBeTypeOf('string');
  });
});

describe('a plan as a task', () => {
  it('that holds waits for a person, whatever its planner said', () => {
    for (const summary of ['done', "I'm not sure this is right"])
      expect(decideNextCascadeAction(reviewed({}, { report: report({ summary }) }), MODELS)).toMatchObject({
        action: 'refer',
      });
  });

  it('that does not hold is planned again on the same tier within its budget, then given up', () => {
    const bad = reviewed({}, { tier: 'opus', model: MODELS.opus, verdict: verdict({ verdict: 'fail' }) });
    expect(decideNextCascadeAction(bad, MODELS)).toMatchObject({ action: 'retry', next_model: MODELS.opus });
    expect(decideNextCascadeAction({ ...bad, budget: { max_attempts: 1 } }, MODELS)).toMatchObject({
      action: 'give_up',
    });
  });

  it('is made of on the word of a person, and never delivered', () => {
    const approved = reviewed({ review: approval });
    expect(decideNextCascadeAction(approved, MODELS)).toMatchObject({ action: 'accept' });
    expect(shouldDeliver(approved)).toBe(false);
  });

  it('is asked for by the format that it will be checked against', () => {
    const { CHECKS, FILES, EXPECTS } = buildPromptParts(reviewed(), []);
    expect(CHECKS).toContain(`\`${PLAN_FILE}\``);
    expect(CHECKS).toContain('1 to 5 tasks');
    expect(`${FILES}${EXPECTS}`).toBe('');
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(CHECKS ?? '') ?? [];
    expect(example).toContain('completion_signals');
  });

  it('becomes tasks with ids of its own, dependencies first; one dependency is what a task starts from', () => {
    const requests = buildPlannedTasks({ ...reviewed(), id: 'P', base_ref: 'main' }).map(
      ({ request }) => request,
    );
    expect(
      requests.map(({ id, base_ref, depends_on, files }) => ({ id, base_ref, depends_on, files })),
    ).toEqual([
      { id: 'P-a', base_ref: 'main', depends_on: [], files: ['x', 'y'] },
      { id: 'P-b', base_ref: 'assay/P-a', depends_on: ['P-a'], files: [] },
      { id: 'P-c', base_ref: 'main', depends_on: ['P-a', 'P-b'], files: [] },
    ]);
  });
});
