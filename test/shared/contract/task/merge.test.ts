import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  budgetExhaustedReason,
  decideNextCascadeAction,
} from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { deriveAttemptOutcomes } from '../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import { shouldStartCascadeExecution } from '../../../../shared/control/task-commands/execution-start.ts';
import {
  MAX_MERGES_PER_ROUND,
  recordMerge,
  recordMergeConflict,
} from '../../../../shared/control/task-commands/merge-to-target.ts';
import { artifact, attempt, FIXED_NOW, launch, report, task, verdict } from '../../../support/builders.ts';

const MOVED = 'b'.repeat(40);
const done = attempt({
  tier: 'sonnet',
  model: MODELS.sonnet,
  report: report({ status: 'completed' }),
  artifact: artifact(),
  verdict: verdict({ verdict: 'pass' }),
  decision: {
    action: 'accept',
    reason: 'verdict pass',
    next_model: null,
    next_tier: null,
    at: FIXED_NOW.toISOString(),
  },
  deliver: launch(),
});
const { base_commit, tree } = artifact();
const work = { base_commit, tree };
const leaving = (fields: Partial<Task> = {}): Task => ({
  ...task({ status: 'in_review', attempts: [done], run: 1 }, { delivery: 'merge_queue' }),
  base_commit,
  delivery: {
    state: 'pushing',
    ...work,
    branch: 'assay/x',
    commit: null,
    reason: null,
    at: FIXED_NOW.toISOString(),
  },
  ...fields,
});
const merged = {
  target_commit: MOVED,
  tree: 'c'.repeat(40),
  patch_key: 'artifacts/p',
  patch_sha256: 'd'.repeat(64),
  patch_bytes: 3,
};
const moved = (of = leaving()): Task => recordMerge(of, 1, work, merged, FIXED_NOW)?.task ?? of;

describe('work whose target has moved', () => {
  it('goes back to the gates on the new base, and nothing that was said of it counts', () => {
    const after = moved();
    expect(determineCascadeStage(after)).toBe('run_gates');
    expect(after).toMatchObject({ base_commit: MOVED, delivery: null, review: null, run: 2 });
    expect(after.attempts).toMatchObject([
      { outcome: 'passed' },
      {
        number: 2,
        outcome: null,
        verdict: null,
        merge: { source_attempt: 1, target_commit: MOVED },
        artifact: { base_commit: MOVED },
      },
    ]);
    expect(shouldStartCascadeExecution(leaving(), after)).toBe(true);
  });

  it('is put there once, however often that is said', () => {
    expect(recordMerge(moved(), 1, work, merged, FIXED_NOW)).toBeNull();
    expect(recordMergeConflict(moved(), 1, work, { target_commit: MOVED, files: [] }, FIXED_NOW)).toBeNull();
  });

  it('counts neither against the attempts of the budget nor as something learned of the model', () => {
    const after = { ...moved(), budget: { max_attempts: 2 } };
    expect(budgetExhaustedReason(after)).toBeNull();
    const [one, two] = after.attempts;
    const judged = {
      ...after,
      attempts: [one, { ...two, outcome: 'passed', ended_at: FIXED_NOW.toISOString(), verdict: verdict({}) }],
    };
    expect(deriveAttemptOutcomes(judged as Task)).toEqual(deriveAttemptOutcomes(after));
  });

  it('is done again by the same tier when it fails there, or does not merge, and is told where', () => {
    const after = moved();
    const failed = { ...after.attempts[1], verdict: verdict({ verdict: 'fail' }) };
    expect(decideNextCascadeAction({ ...after, attempts: [done, failed] } as Task, MODELS)).toMatchObject({
      action: 'retry',
      next_tier: 'sonnet',
    });
    const conflict = recordMergeConflict(
      leaving(),
      1,
      work,
      { target_commit: MOVED, files: ['a.ts', 'b.ts'] },
      FIXED_NOW,
    );
    expect(determineCascadeStage(conflict?.task as Task)).toBe('decide');
    expect(decideNextCascadeAction(conflict?.task as Task, MODELS)).toMatchObject({
      action: 'retry',
      next_model: MODELS.sonnet,
    });
    expect(conflict?.task.attempts[1]?.report?.summary).toContain('in a.ts, b.ts');
  });

  it('is given up when it has moved too often', () => {
    const before = Array.from({ length: MAX_MERGES_PER_ROUND }, (_, index) => ({
      ...done,
      number: index + 1,
      outcome: 'passed' as const,
      merge: { source_attempt: index, target_commit: MOVED },
    }));
    const of = leaving({ attempts: [...before, { ...done, number: MAX_MERGES_PER_ROUND + 1 }] });
    expect(recordMerge(of, MAX_MERGES_PER_ROUND + 1, work, merged, FIXED_NOW)?.task.delivery).toMatchObject({
      state: 'refused',
    });
  });

  it('is refused for a task that goes nowhere else, without leave, and onto its own base', () => {
    const { delivery_mode: _, ...plain } = leaving();
    expect(() => recordMerge(plain, 1, work, merged, FIXED_NOW)).toThrow('not delivered onto');
    expect(() => recordMerge(leaving({ delivery: null }), 1, work, merged, FIXED_NOW)).toThrow('no leave');
    expect(() =>
      recordMerge(leaving(), 1, work, { ...merged, target_commit: base_commit }, FIXED_NOW),
    ).toThrow('/onto');
  });
});
