import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckOutcome } from '../../../../shared/contract/check-outcome.ts';
import { Plan, type PlannedTask } from '../../../../shared/contract/plan/schema.ts';
import {
  findPlanShapeProblems,
  findPlanSignalProblems,
} from '../../../../shared/control/planning/check-plan.ts';

const signal = { type: 'path_exists', path: 'new.txt' };
const plan = (...tasks: Partial<PlannedTask>[]): Plan =>
  Plan.parse({
    tasks: tasks.map((task, index) => ({
      key: `t${index}`,
      title: 'Do it',
      completion_signals: [signal],
      ...task,
    })),
  });
const facts = { pathExists: (path: string) => path === 'src/a.js', roles: ['backend', 'qa'], maxTasks: 3 };
const said = (of: Plan): string[] =>
  findPlanShapeProblems(of, facts).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a plan', () => {
  it('that names what is there, adds what is not, and has an order, holds', () => {
    expect(
      said(plan({ files: ['src/a.js'], new_files: ['src/b.js'] }, { role: 'qa', depends_on: ['t0'] })),
    ).toEqual([]);
  });

  it.each<[string, Plan, string]>([
    [
      'a cycle',
      plan({ depends_on: ['t1'] }, { depends_on: ['t0'] }),
      'tasks.0.depends_on: the dependencies form a cycle: t0 -> t1 -> t0',
    ],
    ['itself as a dependency', plan({ depends_on: ['t0'] }), 'form a cycle: t0 -> t0'],
    [
      'a dependency that is not in it',
      plan({ depends_on: ['other'] }),
      'tasks.0.depends_on.0: no task of this plan is other',
    ],
    ['the same key twice', plan({ key: 'a' }, { key: 'a' }), 'tasks.1.key: a is used twice'],
    [
      'a file that is not in the base',
      plan({ files: ['src/none.js'] }),
      'tasks.0.files.0: src/none.js is not in the base',
    ],
    [
      'a new file that is in the base',
      plan({ new_files: ['src/a.js'] }),
      'tasks.0.new_files.0: src/a.js is in the base already',
    ],
    ['a role that nobody knows', plan({ role: 'wizard' }), 'tasks.0.role: there is no role wizard'],
    ['too many tasks', plan({}, {}, {}, {}), 'tasks: has 4 tasks; 3 is the most'],
    [
      'too many words',
      plan(
        ...Array.from({ length: 3 }, () => ({
          description: 'é'.repeat(10_000),
          acceptance_criteria: ['x'.repeat(1_000), 'y'.repeat(1_000)],
        })),
      ),
      '64000 is the most',
    ],
  ])('is refused for %s', (_what, of, problem) => {
    expect(said(of).join('\n')).toContain(problem);
  });

  it.each<[readonly CheckOutcome[], 'refused' | 'marked' | 'good']>([
    [['failed'], 'good'],
    [['failed', 'passed'], 'marked'],
    [['failed', 'timed_out'], 'marked'],
    [['passed'], 'refused'],
    [['passed', 'could_not_run'], 'refused'],
    [['could_not_run'], 'refused'],
    [[], 'refused'],
  ])('whose signals are %j on the base is %s', (outcomes, is) => {
    const of = plan({ completion_signals: outcomes.length > 1 ? [signal, signal] : [signal] } as never);
    const { problems, notes } = findPlanSignalProblems(of, [outcomes]);
    expect({ refused: problems.length > 0, marked: notes.length > 0 }).toEqual({
      refused: is === 'refused',
      marked: is === 'marked',
    });
  });

  it('that holds has in each task a signal that fails on the base, whatever the others do', () => {
    const outcome = fc.constantFrom<CheckOutcome>(
      'passed',
      'failed',
      'could_not_run',
      'timed_out',
      'infra_failed',
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(outcome, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        (all) => {
          const of = plan(...all.map((each) => ({ completion_signals: each.map(() => signal) }) as never));
          const holds = findPlanSignalProblems(of, all).problems.length === 0;
          expect(holds).toBe(all.every((each) => each.includes('failed')));
        },
      ),
    );
  });

  it.each([
    ['a repository of its own', { repository: 'https://example.test/other.git' }],
    ['a budget', { budget: { max_attempts: 10 } }],
    ['a program', { adapter: { kind: 'command', argv: ['rm'] } }],
    ['delivery without evidence', { deliver_unverified: true }],
  ])('cannot bring %s', (_what, field) => {
    const task = { key: 'a', title: 't', completion_signals: [signal], ...field };
    expect(Plan.safeParse({ tasks: [task] }).success).toBe(false);
  });
});
