import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { deriveTaskEvents } from '../../../../shared/control/events/derive-events.ts';
import { EVENT_SCHEMAS } from '../../../../shared/control/events/event-schemas.ts';
import { addedModelCostUsd, newContainerLosses } from '../../../../shared/control/ledger/container-losses.ts';
import {
  artifact,
  attempt,
  FIXED_NOW,
  launch,
  report,
  task,
  taskInReview,
} from '../../../support/builders.ts';

const at = FIXED_NOW.toISOString();
const names = (before: Task | null, after: Task) => deriveTaskEvents(before, after).map(({ name }) => name);
const decision = (action: 'give_up' | 'refer') => ({
  action,
  reason: 'r',
  next_model: null,
  next_tier: null,
  at,
});
const before = taskInReview();
const done = (fields: Partial<Task> = {}): Task => ({
  ...before,
  status: 'done',
  verified: true,
  version: 7,
  ...fields,
});
const failed = (fields: Partial<Task> = {}): Task => ({
  ...before,
  status: 'failed',
  version: 7,
  failure: { code: 'verification_failed', message: 'm'.repeat(5_000) },
  ...fields,
});
const held = (fields: Partial<Task> = {}): Task => ({
  ...before,
  version: 7,
  hold: { reasons: ['a test was taken away'], since: at },
  ...fields,
});

describe('the events of a write', () => {
  it.each<[string, Task | null, Task, string[]]>([
    ['a task that is done', before, done(), ['Task Done']],
    [
      'one that is done without evidence',
      before,
      done({ verified: false }),
      ['Task Done', 'Task Unverified'],
    ],
    ['one that has failed', before, failed(), ['Task Failed']],
    ['one that was withdrawn', before, { ...failed(), status: 'cancelled' }, ['Task Cancelled']],
    ['one that waits for a person', before, held(), ['Task Held']],
    ['one that still waits', held(), held({ version: 8 }), []],
    ['one that is done already', done(), done({ version: 8 }), []],
    ['one that is new', null, task(), []],
  ])('are those of %s', (_what, was, is, expected) => {
    expect(names(was, is)).toEqual(expected);
  });

  it('say that a budget is spent only where that has ended the task', () => {
    const attempts = [attempt({ outcome: 'failed', cost_usd: 3, decision: decision('give_up') })];
    const budget = { max_attempts: 5, max_cost_usd: 2 };
    expect(names(before, failed({ attempts, budget }))).toEqual(['Task Failed', 'Budget Spent']);
    expect(names(before, failed({ attempts, budget: { max_attempts: 5 } }))).toEqual(['Task Failed']);
    const operator = attempts.map((each) => ({ ...each, decision: null }));
    expect(names(before, failed({ attempts: operator, budget }))).toEqual(['Task Failed']);
  });

  it('are the same, with the same id, for the same write, and fit their schemas', () => {
    for (const after of [done({ verified: false }), failed(), held()]) {
      const events = deriveTaskEvents(before, after);
      expect(deriveTaskEvents(before, structuredClone(after))).toEqual(events);
      expect(new Set(events.map(({ detail }) => detail.event_id)).size).toBe(events.length);
      for (const { name, detail } of events) expect(EVENT_SCHEMAS[name].parse(detail)).toEqual(detail);
    }
  });

  it('have no more text than a mail has room for', () => {
    const [event] = deriveTaskEvents(
      before,
      held({ hold: { reasons: Array(99).fill('r'.repeat(9_000)), since: at } }),
    );
    expect(JSON.stringify(event).length).toBeLessThan(50_000);
    expect(event?.detail.summary.length).toBe(2_000);
  });

  it('name base and tree of what a person decides on', () => {
    expect(deriveTaskEvents(before, held())[0]?.detail).toMatchObject({
      base_commit: artifact().base_commit,
      tree: artifact().tree,
      plan: false,
    });
  });

  it('know no cost where nobody knows it, and never call that nothing', () => {
    const of = (...costs: (number | null)[]) =>
      deriveTaskEvents(before, done({ attempts: costs.map((cost_usd) => attempt({ cost_usd })) }))[0]?.detail
        .cost_usd;
    expect([of(null), of(1, null), of(1, 2)]).toEqual([null, 1, 3]);
  });
});

describe('what a write says of boxes', () => {
  const managed = (fields: Partial<Attempt>): Task => task({ attempts: [attempt(fields)] });
  const running = managed({ agent: launch() });
  it.each<[string, Task, Task, string[]]>([
    [
      'a gates box that is lost',
      managed({ gates: launch() }),
      managed({ gates: launch({ lost: true }) }),
      ['container_lost'],
    ],
    [
      'one that is still lost',
      managed({ gates: launch({ lost: true }) }),
      managed({ gates: launch({ lost: true }) }),
      [],
    ],
    [
      'one that never ran',
      managed({ gates: launch() }),
      managed({ gates: launch({ lost: true, excused_losses: 1 }) }),
      ['excused'],
    ],
    [
      'an agent that is gone',
      running,
      managed({ agent: launch(), outcome: 'infra_failed' }),
      ['container_lost'],
    ],
    ['one that fell silent', running, managed({ agent: launch(), outcome: 'expired' }), ['lease_expired']],
    ['an outside agent that fell silent', running, managed({ outcome: 'expired', lease_holder: 'ada' }), []],
    [
      'one whose work could not be judged',
      running,
      managed({ outcome: 'infra_failed', report: report() }),
      [],
    ],
    [
      'one that ECS will never start',
      running,
      { ...managed({ outcome: 'infra_failed' }), failure: { code: 'launch_refused', message: 'm' } },
      ['launch_refused'],
    ],
  ])('of %s', (_what, was, is, expected) => {
    expect(newContainerLosses(was, is)).toEqual(expected);
  });

  it('counts what models have cost once, when it becomes known', () => {
    const cost = (cost_usd: number | null) => managed({ cost_usd });
    expect(addedModelCostUsd(null, cost(2))).toBe(2);
    expect(addedModelCostUsd(cost(2), cost(2))).toBe(0);
    expect(addedModelCostUsd(cost(2), cost(3.5))).toBe(1.5);
    expect(addedModelCostUsd(cost(2), cost(null))).toBe(0);
  });
});
