import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAILURE_MODES, type FailureMode } from '../../../../shared/contract/failure/failure-record.ts';
import {
  evaluatePartialDependencyStart,
  MIN_DONE_SHARES_FOR_PARTIAL_START,
  type TaskDependency,
} from '../../../../shared/contract/task/partial-start.ts';
import { TASK_STATUSES } from '../../../../shared/contract/task/status.ts';
import { createTask } from '../../../../shared/control/task-commands/create.ts';
import { recheckTaskDependencies } from '../../../../shared/control/task-commands/park-task.ts';
import { FIXED_NOW, submission, task } from '../../../support/builders.ts';

const done = (id: string): TaskDependency => ({ id, status: 'done' });
const failed = (id: string, mode?: FailureMode): TaskDependency => ({
  id,
  status: 'failed',
  failure: { code: 'c', message: 'm', ...(mode && { mode }) },
});
const map = (...all: TaskDependency[]) => new Map(all.map((each) => [each.id, each]));

describe('a task whose dependencies have failed for good', () => {
  test('starts when enough are done, as the way asks in which the others failed', () => {
    const three = [done('a'), done('b'), failed('c', 'timeout'), failed('d', 'quality')];
    expect(evaluatePartialDependencyStart('lenient', three)).toEqual({
      missing_dependencies: ['c', 'd'],
      completed_share: 0.5,
      threshold: 0.3,
    });
    expect(evaluatePartialDependencyStart('strict', three)).toBeNull();
    expect(evaluatePartialDependencyStart('strict', [done('a'), failed('b')])).toMatchObject({
      threshold: 0.5,
    });
    expect(
      evaluatePartialDependencyStart('strict', [done('a'), { id: 'b', status: 'cancelled' }]),
    ).toBeNull();
    expect(evaluatePartialDependencyStart('wait', three)).toBeNull();
  });

  test('never starts while one may still be done, nor with none, nor below what is asked', () => {
    const any = fc.array(
      fc.record({
        status: fc.constantFrom(...TASK_STATUSES),
        mode: fc.option(fc.constantFrom(...FAILURE_MODES), { nil: undefined }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(any, fc.constantFrom('lenient' as const, 'strict' as const), (all, policy) => {
        const dependencies = all.map(({ status, mode }, index) => ({
          ...failed(`t${index}`, mode),
          status,
        }));
        const start = evaluatePartialDependencyStart(policy, dependencies);
        if (!start) return;
        const missing = dependencies.filter(({ status }) => status !== 'done');
        expect(missing.every(({ status }) => status === 'failed' || status === 'cancelled')).toBe(true);
        expect(start.missing_dependencies).toEqual(missing.map(({ id }) => id));
        expect(missing.length).toBeLessThan(dependencies.length);
        expect(start.completed_share).toBeGreaterThanOrEqual(
          Math.min(...Object.values(MIN_DONE_SHARES_FOR_PARTIAL_START)),
        );
        // What is strict lets go is let go leniently, too.
        expect(evaluatePartialDependencyStart('lenient', dependencies)).not.toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  test('is let go when it is looked at, or made, with what is missing', () => {
    const dependencies = map(done('a'), failed('b', 'timeout'));
    const fields = { depends_on: ['a', 'b'], partial_dependencies: 'strict' as const };
    const blocked = task({ status: 'blocked', waits_for: 'b' }, fields);
    expect(recheckTaskDependencies(blocked, dependencies, FIXED_NOW)?.task).toMatchObject({
      status: 'open',
      partial_start: { missing_dependencies: ['b'], completed_share: 0.5, threshold: 0.3 },
      waits_for: null,
    });
    const context = { id: 'T', now: FIXED_NOW, by: 'x', requestSha256: 'f', dependencies };
    expect(createTask(submission(fields), context)).toMatchObject({ status: 'open', run: 1 });
    const waiting = { ...fields, partial_dependencies: 'wait' as const };
    expect(createTask(submission(waiting), context)).toMatchObject({
      status: 'blocked',
      blocked_reason: { code: 'dependency_failed' },
    });
  });

  test('waits for the fix-up of one that has it', () => {
    const withFix = { ...failed('b', 'timeout'), superseded_by: 'f' };
    const fields = { depends_on: ['a', 'b'], partial_dependencies: 'lenient' as const };
    const blocked = task({ status: 'blocked', waits_for: 'b' }, fields);
    const fix: TaskDependency = {
      id: 'f',
      status: 'open',
      fix_up_of: { task_id: 'b', root_task_id: 'b', generation: 1, earlier_attempts: 1 },
    };
    const after = recheckTaskDependencies(blocked, map(done('a'), withFix, fix), FIXED_NOW)?.task;
    expect(after).toMatchObject({ status: 'blocked', depends_on: ['a', 'f'], waits_for: 'f' });
    expect(
      after &&
        recheckTaskDependencies(after, map(done('a'), { ...fix, status: 'done' }), FIXED_NOW)?.task.status,
    ).toBe('open');
  });
});
