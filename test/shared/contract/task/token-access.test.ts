import { describe, expect, it } from 'vitest';
import { LAUNCH_KINDS } from '../../../../shared/contract/launch-kind.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  determineLaunchTokenAccess,
  isAccessSufficient,
  LAUNCH_TOKEN_ACCESS_LEVELS,
  type LaunchTokenHolder,
  restrictToAttempt,
} from '../../../../shared/contract/task/token-access.ts';
import { attempt, FIXED_NOW, launch, report, task, taskInReview } from '../../../support/builders.ts';

const holder = (fields: Partial<LaunchTokenHolder> = {}): LaunchTokenHolder => ({
  caller: 'agent',
  attempt: 1,
  launch: 1,
  ...fields,
});
const boxes = { agent: launch(), gates: launch(), challenger: launch(), deliver: launch() };
const running = task({ status: 'in_progress', attempts: [attempt(boxes)] });
const failure = { failure_code: 'unknown' as const, message: 'm', at: FIXED_NOW.toISOString() };
const delivery = (state: 'delivered' | 'refused' | 'pushing'): NonNullable<Task['delivery']> => ({
  state,
  base_commit: 'a'.repeat(40),
  tree: 'b'.repeat(40),
  branch: null,
  commit: null,
  reason: null,
  at: FIXED_NOW.toISOString(),
});

describe('a token', () => {
  it.each(LAUNCH_KINDS)('of %s is good for all of its work while its attempt runs', (caller) => {
    expect(determineLaunchTokenAccess(running, holder({ caller }))).toBe('live');
  });

  it.each(LAUNCH_KINDS)('of %s is good for nothing once its attempt is over without its report', (caller) => {
    for (const over of [
      task({ attempts: [attempt({ ...boxes, outcome: 'expired' })] }),
      task({ attempts: [attempt({ ...boxes, outcome: 'failed' }), attempt({ number: 2 })] }),
      // A row that a bug left without an outcome is over all the same: another attempt runs.
      task({ attempts: [attempt(boxes), attempt({ number: 2 })] }),
      task({ status: 'cancelled', attempts: [attempt(boxes)] }),
    ])
      expect(determineLaunchTokenAccess(over, holder({ caller }))).toBe('over');
  });

  it.each(LAUNCH_KINDS)('of %s is good for nothing once its container is given up or replaced', (caller) => {
    const lost = task({ attempts: [attempt({ [caller]: launch({ lost: true }) })] });
    const replaced = task({ attempts: [attempt({ [caller]: launch({ number: 2 }) })] });
    expect(determineLaunchTokenAccess(lost, holder({ caller }))).toBe('over');
    expect(determineLaunchTokenAccess(replaced, holder({ caller }))).toBe('over');
    expect(determineLaunchTokenAccess(replaced, holder({ caller, launch: 2 }))).toBe('live');
  });

  it('is good for nothing in an attempt that there never was', () => {
    expect(determineLaunchTokenAccess(running, holder({ attempt: 2 }))).toBe('over');
  });

  it('of gates can only repeat its report once that is in', () => {
    expect(determineLaunchTokenAccess(taskInReview({ ...boxes }), holder({ caller: 'gates' }))).toBe('live');
    const reported = taskInReview({ ...boxes, verification_failure: failure });
    expect(determineLaunchTokenAccess(reported, holder({ caller: 'gates' }))).toBe('repeat');
  });

  it('of a delivery can only repeat its report once that is in', () => {
    const at = (state: 'delivered' | 'refused' | 'pushing') =>
      determineLaunchTokenAccess(
        taskInReview(boxes, { delivery: delivery(state) }),
        holder({ caller: 'deliver' }),
      );
    expect([at('pushing'), at('delivered'), at('refused')]).toEqual(['live', 'repeat', 'repeat']);
  });

  it('of an agent that has reported may look at its work until that is decided, and then only repeat', () => {
    expect(determineLaunchTokenAccess(taskInReview(boxes), holder())).toBe('read');
    const decided = task({
      status: 'done',
      attempts: [attempt({ ...boxes, report: report(), outcome: 'passed' })],
    });
    expect(determineLaunchTokenAccess(decided, holder())).toBe('repeat');
  });

  it('that may do more may do all that one may that may do less', () => {
    for (const [index, more] of LAUNCH_TOKEN_ACCESS_LEVELS.entries())
      for (const less of LAUNCH_TOKEN_ACCESS_LEVELS.slice(0, index + 1))
        expect(isAccessSufficient(more, less)).toBe(true);
    expect(isAccessSufficient('read', 'live')).toBe(false);
  });

  it('shows one attempt', () => {
    const two = task({ attempts: [attempt(), attempt({ number: 2 })] });
    expect(restrictToAttempt(two, 1).attempts.map((each) => each.number)).toEqual([1]);
  });
});
