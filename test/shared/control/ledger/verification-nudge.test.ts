import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildVerificationNudgeEnvironment,
  parseVerificationNudgeRules,
  VerificationNudgeRules,
} from '../../../../shared/control/ledger/nudge-rules.ts';
import {
  buildVerificationNudge,
  type TaskCompletion,
} from '../../../../shared/control/ledger/verification-nudge.ts';
import { readVerificationNudgeWindow } from '../../../../shared/use-cases/operate/status.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const ago = (hours: number): string => new Date(NOW.getTime() - hours * 3_600_000).toISOString();
const NONE = { verified: 0, unverified: 0 };

const completion = fc.record({
  hours: fc.integer({ min: 0, max: 80 }),
  verified: fc.boolean(),
});
const rules = fc.record({
  nudgeThreshold: fc.double({ min: 0, max: 1, noNaN: true }),
  nudgeMinCompletions: fc.integer({ min: 1, max: 5 }),
  nudgeWindow: fc.integer({ min: 1, max: 8 }),
  nudgeWindowDays: fc.constantFrom(0.5, 1, 2, 90),
});

describe('the verification window', () => {
  it('is what a plain count says of the latest so many, none too old, none from before it was begun anew', () => {
    fc.assert(
      fc.property(
        fc.array(completion, { maxLength: 20 }),
        rules,
        fc.option(fc.integer({ min: 0, max: 80 })),
        (drawn, of, since) => {
          const latest = drawn.map(({ hours, verified }, index) => ({
            task_id: `T${index}`,
            at: ago(hours),
            verified,
          }));
          const anew = since === null ? null : { at: ago(since), by: 'ann', reason: 'release' };
          const nudge = buildVerificationNudge({ latest, reset: anew, totals: NONE }, of, NOW);
          const kept = drawn
            .filter(({ hours }) => hours <= of.nudgeWindowDays * 24 && (since === null || hours < since))
            .toSorted((a, b) => a.hours - b.hours);
          expect(nudge.total_completions).toBe(Math.min(kept.length, of.nudgeWindow));
          expect(nudge.verified_count + nudge.unverified_count).toBe(nudge.total_completions);
          // Of those that were completed at the same time any may be the last one that has room.
          const edge = kept[of.nudgeWindow - 1]?.hours ?? Number.POSITIVE_INFINITY;
          const sure = kept.filter(({ hours, verified }) => hours < edge && !verified).length;
          const most = kept.filter(({ hours, verified }) => hours <= edge && !verified).length;
          expect(nudge.unverified_count).toBeGreaterThanOrEqual(sure);
          expect(nudge.unverified_count).toBeLessThanOrEqual(most);
          const ratio = nudge.unverified_count / nudge.total_completions;
          expect(nudge.threshold_exceeded).toBe(
            nudge.total_completions >= of.nudgeMinCompletions && ratio > of.nudgeThreshold,
          );
          expect(nudge.unverified_ratio === null).toBe(nudge.total_completions === 0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('survives the environment of a function', () => {
    for (const nudgeThreshold of ['0', '1', '0.0', '1.0'])
      expect(VerificationNudgeRules.parse({ nudgeThreshold }).nudgeThreshold).toBe(Number(nudgeThreshold));
    const chosen = VerificationNudgeRules.parse({
      nudgeThreshold: '0.1',
      nudgeWindow: '7',
      nudgeWindowDays: '1.5',
    });
    expect(parseVerificationNudgeRules(buildVerificationNudgeEnvironment(chosen))).toEqual(chosen);
    expect(parseVerificationNudgeRules({})).toEqual({
      nudgeThreshold: 0.3,
      nudgeMinCompletions: 3,
      nudgeWindow: 100,
      nudgeWindowDays: 7,
    });
  });
});

describe('completions in the table', () => {
  let table: Awaited<ReturnType<typeof createTestTable>>;
  beforeAll(async () => {
    table = await createTestTable();
  });
  afterAll(() => table.close());
  const look = (changes: Partial<VerificationNudgeRules> = {}) =>
    readVerificationNudgeWindow({
      counts: { read: async () => ({ roles: new Map(), allTime: NONE, revision: 0 }) },
      completions: table.completions,
      nudge: { ...VerificationNudgeRules.parse({}), ...changes },
      now: NOW,
    });

  it('are counted once however often they are told, the latest first, until a person begins anew', async () => {
    const all: TaskCompletion[] = [
      { task_id: 'old', at: ago(24 * 8), verified: false },
      { task_id: 'a', at: ago(5), verified: true },
      { task_id: 'b', at: ago(4), verified: false },
      { task_id: 'c', at: ago(3), verified: false },
    ];
    for (const each of [...all, ...all.toReversed()]) await table.completions.record(each);
    const before = await look();
    expect(before.completions.map(({ task_id }) => task_id)).toEqual(['c', 'b', 'a']);
    expect(before.verification_nudge).toMatchObject({
      total_completions: 3,
      unverified_ratio: 0.667,
      threshold_exceeded: true,
      recent_unverified: ['c', 'b'],
      window: { completions: 100, days: 7, oldest: ago(5), reset: null },
    });
    expect((await look({ nudgeWindow: 1 })).completions.map(({ task_id }) => task_id)).toEqual(['c']);

    const word = { at: ago(4), by: 'ann', reason: 'release 4' };
    expect(await table.completions.resetWindow(word)).toEqual(word);
    expect(await table.completions.resetWindow({ ...word, at: ago(6), reason: 'late' })).toEqual(word);
    const after = await look();
    expect(after.completions.map(({ task_id }) => task_id)).toEqual(['c']);
    expect(after.verification_nudge).toMatchObject({ threshold_exceeded: false, window: { reset: word } });
    await table.completions.resetWindow({ at: NOW.toISOString(), by: 'ann', reason: 'again' });
    expect((await look()).verification_nudge).toMatchObject({
      total_completions: 0,
      unverified_ratio: null,
      threshold_exceeded: false,
      window: { oldest: null },
    });
  });
});
