import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROVAL_LIFECYCLE } from '../../../shared/contract/approval/schema.ts';
import { WORK_REQUEST_LIFECYCLE } from '../../../shared/contract/intake/status.ts';
import { TASK_LIFECYCLE } from '../../../shared/contract/task/status.ts';
import { LETTER_LIFECYCLE } from '../../../shared/control/dead-letters/letter-status.ts';
import { PROPOSAL_LIFECYCLE } from '../../../shared/control/tune/proposals.ts';
import type { Lifecycle } from '../../../shared/lib/lifecycle.ts';
import { buildLifecycleEventCondition } from '../../../shared/store/event-condition.ts';

/** Each life cycle, with the events that are allowed in its terminal statuses. */
const LIFECYCLES = [
  [TASK_LIFECYCLE, ['outcome', 'retry']],
  [WORK_REQUEST_LIFECYCLE, []],
  [LETTER_LIFECYCLE, ['come_again', 'requeue', 'resolve']],
  [APPROVAL_LIFECYCLE, []],
  [PROPOSAL_LIFECYCLE, ['try', 'apply', 'refuse']],
].map(([cycle, reopening]) => [
  (cycle as Lifecycle<string, string>).noun,
  cycle,
  reopening,
]) as unknown as readonly [string, Lifecycle<string, string>, readonly string[]][];

describe.each(LIFECYCLES)('the life cycle of a %s', (_, cycle, reopening) => {
  const { statuses, events, transitions } = cycle;

  it('names only its own statuses', () => {
    for (const { from, to } of Object.values(transitions)) {
      expect(from.length).toBeGreaterThan(0);
      expect(statuses).toEqual(expect.arrayContaining([...from, ...(to === null ? [] : [to])]));
    }
    expect(statuses).toEqual(expect.arrayContaining([...cycle.initial, ...cycle.terminal]));
  });

  it('reaches every status from a new item, except those that are only passed in one write', () => {
    const reached = new Set(cycle.initial);
    for (const status of reached)
      for (const event of events) {
        const to = cycle.next(status, event);
        if (to !== null) reached.add(to);
      }
    expect(statuses.filter((status) => !reached.has(status))).toEqual(
      cycle === (WORK_REQUEST_LIFECYCLE as unknown) ? ['triaging'] : [],
    );
  });

  it('can bring every status to an end', () => {
    const ends = (status: string, seen: readonly string[]): boolean =>
      cycle.isTerminal(status) ||
      events.some((event) => {
        const to = cycle.next(status, event);
        return to !== null && !seen.includes(to) && ends(to, [...seen, to]);
      });
    expect(statuses.filter((status) => !ends(status, [status]))).toEqual([]);
  });

  it('allows in a terminal status only the events that reopen or describe it', () => {
    const allowed = events.filter((event) => cycle.terminal.some((end) => cycle.next(end, event) !== null));
    expect(allowed).toEqual(reopening);
  });

  it('follows its table on any walk, and writes each step under the condition that the table states', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...cycle.initial),
        fc.array(fc.constantFrom(...events), { maxLength: 40 }),
        (start, walk) => {
          let status = start;
          for (const event of walk) {
            const next = cycle.next(status, event);
            const { ExpressionAttributeValues: values } = buildLifecycleEventCondition(cycle, event, 7);
            const { ':version': version, ...allowed } = values as Record<string, unknown>;
            expect(version).toBe(7);
            expect(Object.values(allowed).includes(status)).toBe(next !== null);
            if (next === null)
              expect(cycle.conflictMessage('X', status, event)).toContain(`is ${status}; ${event}`);
            else status = next;
          }
          expect(statuses).toContain(status);
        },
      ),
    );
  });
});
