import { describe, expect, test } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { deriveRecordRows } from '../../../../shared/control/ledger/derive-rows.ts';
import { ReviewRow, SignalRow } from '../../../../shared/control/ledger/record-rows.ts';
import { reviewHeldTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { recordEvidence } from '../../../../shared/control/task-commands/record-verification.ts';
import { evidence, FIXED_NOW, signal, taskInReview } from '../../../support/builders.ts';

const rows = (table: string, before: Task, after: Task) =>
  deriveRecordRows(before, after, DEFAULT_TIER_MODELS).flatMap((each) =>
    each.table === table ? [each.row] : [],
  );
const SINCE = new Date(FIXED_NOW.getTime() - 3_600_000).toISOString();
const held = (): Task => ({
  ...taskInReview(),
  base_commit: 'b'.repeat(40),
  hold: { reasons: ['tests could not run'], since: SINCE },
});

describe('the row of a review', () => {
  test('says how long a person was waited for, and what the word was', () => {
    const before = held();
    const tree = before.attempts[0]?.artifact?.tree ?? '';
    const after =
      reviewHeldTask(before, 'approve', 'looks right', 'ann', { tree }, FIXED_NOW)?.task ?? before;
    const [row] = rows('reviews', before, after);
    expect(ReviewRow.parse(row)).toMatchObject({
      decision: 'approve',
      by: 'ann',
      requested_at: SINCE,
      waited_s: 3_600,
      reasons: ['tests could not run'],
    });
  });

  test('is there too when nobody said a word, and without one nobody is named', () => {
    const before = held();
    const after = {
      ...before,
      hold: null,
      status: 'cancelled' as const,
      updated_at: FIXED_NOW.toISOString(),
    };
    expect(rows('reviews', before, after)).toMatchObject([{ decision: null, by: null, waited_s: 3_600 }]);
  });

  test('is not there while a person is waited for', () => {
    expect(rows('reviews', taskInReview(), held())).toEqual([]);
    expect(rows('reviews', held(), held())).toEqual([]);
  });
});

test('each completion signal of a verification has a row of its own, once', () => {
  const before = taskInReview();
  const after =
    recordEvidence(
      before,
      1,
      evidence({ signals: [signal({ outcome: 'passed' }), signal({ outcome: 'failed' })] }),
      'key',
      FIXED_NOW,
    )?.task ?? before;
  const found = rows('completion_signals', before, after).map((row) => SignalRow.parse(row));
  expect(found.map(({ outcome }) => outcome)).toEqual(['passed', 'failed']);
  expect(new Set(found.map(({ record_id }) => record_id)).size).toBe(2);
  expect(rows('completion_signals', after, after)).toEqual([]);
});
