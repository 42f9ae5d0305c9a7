import { describe, expect, it } from 'vitest';
import { taskView } from '../../../../shared/api/task-views.ts';
import { roundBudgetUsage } from '../../../../shared/contract/task/attempt-cost.ts';
import { buildDeliveryCommitFields } from '../../../../shared/contract/task/delivery-commit.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { deriveAttemptOutcomes } from '../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import {
  authorizeDelivery,
  recordDeliveryRefusal,
  recordPushedDelivery,
} from '../../../../shared/control/task-commands/deliver.ts';
import { finishTaskAfterCascade } from '../../../../shared/control/task-commands/finish-task.ts';
import { startRetryRound } from '../../../../shared/control/task-commands/operator-commands.ts';
import {
  findRedeliverableAttempt,
  startRedelivery,
} from '../../../../shared/control/task-commands/redeliver.ts';
import {
  addSeconds,
  artifact,
  attempt,
  FIXED_NOW,
  fakeSha1,
  launch,
  report,
  task,
  verdict,
} from '../../../support/builders.ts';

const { base_commit, tree } = artifact();
const work = { base_commit, tree };
const at = FIXED_NOW.toISOString();
const passed = attempt({
  outcome: 'failed',
  ended_at: at,
  report: report({ status: 'completed' }),
  artifact: artifact(),
  verdict: verdict({ verdict: 'pass' }),
  decision: { action: 'accept', reason: 'verdict pass', next_model: null, next_tier: null, at },
  deliver: launch({ number: 3, lost: true, retries_exhausted: true }),
});
const failedWith = (last = passed, fields: Partial<Task> = {}): Task => ({
  ...task({ status: 'failed', attempts: [last], run: 1 }, { base_ref: base_commit }),
  base_commit,
  failure: { code: 'delivery_refused', message: '3 deliveries were lost without a report' },
  ...fields,
});
const retried = (of = failedWith()): Task => startRetryRound(of, addSeconds(60)).task;
const redelivered = (of = retried()): Task => {
  const judged = findRedeliverableAttempt(of);
  if (!judged) throw new Error('it cannot be delivered again');
  return startRedelivery(of, judged, addSeconds(61)).task;
};

describe('a retry of a task whose passed work was not delivered', () => {
  it('starts an agent where a person failed the task between two deliveries', () => {
    const failedByPerson = failedWith({ ...passed, deliver: launch({ number: 1, lost: true }) });
    expect(findRedeliverableAttempt(retried(failedByPerson))).toBeNull();
  });

  it('delivers the judged tree in an attempt of its own, and changes no ended attempt', () => {
    const after = redelivered();
    expect(after.status).toBe('in_review');
    expect(after.attempts).toHaveLength(2);
    expect(after.attempts[0]).toEqual(passed);
    expect(after.attempts[1]).toMatchObject({
      number: 2,
      redelivery: { source_attempt: 1 },
      route: { reason: 'delivered again from attempt 1' },
      artifact: passed.artifact,
      verification: null,
      verdict: null,
      cost_usd: 0,
    });
    expect(determineCascadeStage(after)).toBe('deliver');
    expect(buildDeliveryCommitFields(after, after.attempts[1] ?? passed)).toEqual(
      buildDeliveryCommitFields(after, passed),
    );
  });

  it('ends as verified work, by the verdict of the judged attempt', () => {
    const pushing = authorizeDelivery(redelivered(), 2, work, addSeconds(62))?.task ?? task();
    const pushed = recordPushedDelivery(pushing, 2, work, fakeSha1('e'), addSeconds(63))?.task ?? task();
    const done = finishTaskAfterCascade(pushed, addSeconds(64))?.task;
    expect(done).toMatchObject({ status: 'done', verified: true });
    expect(done?.attempts[1]?.outcome).toBe('passed');
    expect(taskView(done ?? task()).verdict).toBe('pass');
  });

  it('gives permission to push that tree on that base, and nothing else', () => {
    for (const other of [
      { ...work, tree: fakeSha1('f') },
      { ...work, base_commit: fakeSha1('f') },
    ])
      expect(() => authorizeDelivery(redelivered(), 2, other, addSeconds(62))).toThrow();
  });

  it('uses no attempt of the budget, and teaches nothing about models', () => {
    const after = redelivered();
    expect(roundBudgetUsage(after)).toEqual({ attempts: 0, usd: 0 });
    expect(deriveAttemptOutcomes(after)).toEqual(deriveAttemptOutcomes(failedWith()));
  });

  it('can be repeated when that delivery is lost, too', () => {
    const first = redelivered();
    const lost: Task = {
      ...first,
      attempts: first.attempts.map((each) =>
        each.number === 2
          ? { ...each, deliver: launch({ number: 3, lost: true, retries_exhausted: true }) }
          : each,
      ),
    };
    const refused =
      recordDeliveryRefusal(lost, 2, work, '3 deliveries were lost without a report', addSeconds(70))?.task ??
      task();
    const ended = finishTaskAfterCascade(refused, addSeconds(71))?.task ?? task();
    expect(ended.status).toBe('failed');
    expect(redelivered(retried(ended)).attempts[2]).toMatchObject({
      number: 3,
      redelivery: { source_attempt: 1 },
    });
  });
});

describe('an agent works again', () => {
  it.each<[string, Task]>([
    ['where the base has moved', { ...retried(), base_commit: fakeSha1('f') }],
    ['where the verdict failed', retried(failedWith({ ...passed, verdict: verdict({ verdict: 'fail' }) }))],
    [
      'where the verdict is about another tree',
      retried(failedWith({ ...passed, verdict: verdict({ tree: fakeSha1('f') }) })),
    ],
    [
      'where the work is unverified',
      retried(failedWith({ ...passed, verdict: verdict({ verified: false }) })),
    ],
    ['where the remote refused the push', retried(failedWith({ ...passed, deliver: launch() }))],
    ['where nothing was delivered', retried(failedWith({ ...passed, deliver: null }))],
    ['where the task is external', retried(failedWith(passed, { runner: 'external' }))],
    ['where the task is not open', failedWith()],
  ])('%s', (_, of) => {
    expect(findRedeliverableAttempt(of)).toBeNull();
  });
});
