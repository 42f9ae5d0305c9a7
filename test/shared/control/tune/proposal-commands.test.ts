import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import {
  SELF_TUNING_LEVELS,
  type SelfTuningLevel,
} from '../../../../shared/control/cascade/learning/tuning-level.ts';
import {
  addProposal,
  applyTestedProposal,
  findTuningCooldownReason,
  revertActiveProposal,
} from '../../../../shared/control/tune/proposal-commands.ts';
import {
  AUTOMATIC_TUNING_ACTOR,
  EMPTY_TUNING_STATE,
  type TuningProposalTestResult,
  TuningState,
} from '../../../../shared/control/tune/proposals.ts';
import {
  buildSettingKey,
  rankTuningLevel,
  requiredTuningLevel,
  type SettingChange,
} from '../../../../shared/control/tune/setting-change.ts';

const CHANGES: readonly SettingChange[] = [
  { kind: 'threshold', name: 'quality_threshold', value: 0.6 },
  { kind: 'threshold', name: 'quality_threshold', value: 0.7 },
  { kind: 'prompt', role: 'backend', text: 'Run the linter.' },
  { kind: 'prompt', role: 'backend', text: 'Run the tests.' },
  { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' },
  { kind: 'route', role: 'backend', complexity: 'low', tier: 'opus' },
  { kind: 'gate', gate: 'lint', required: false },
  { kind: 'gate', gate: 'lint', required: true },
];
const now = new Date('2026-03-01T00:00:00.000Z');
const word = (by: string) => ({ by, reason: 'because', now });
const said = (holds: boolean): TuningProposalTestResult => ({
  by: 'replay',
  at: now.toISOString(),
  passed: holds,
  reason: 'dollars per task 0.1',
  tasks: 30,
  excluded: 0,
  worst_case: 0,
  cost_usd: null,
  pass_rate: null,
});
const proposed = (...changes: SettingChange[]): TuningState =>
  changes.reduce(
    (state, setting) => addProposal(state, setting, 'numbers', word('ann')) ?? state,
    EMPTY_TUNING_STATE,
  );
const setting = (index: number): SettingChange => CHANGES[index] as SettingChange;

type Op =
  | { readonly do: 'propose'; readonly setting: SettingChange }
  | { readonly do: 'apply'; readonly at: number; readonly by: string; readonly test: boolean | null }
  | { readonly do: 'revert'; readonly at: number };
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ do: fc.constant('propose' as const), setting: fc.constantFrom(...CHANGES) }),
  fc.record({
    do: fc.constant('apply' as const),
    at: fc.nat(9),
    by: fc.constantFrom('ann', AUTOMATIC_TUNING_ACTOR),
    test: fc.constantFrom(true, false, null),
  }),
  fc.record({ do: fc.constant('revert' as const), at: fc.nat(9) }),
);

function done(state: TuningState, each: Op, level: SelfTuningLevel): TuningState {
  const id = 'at' in each ? `p${each.at + 1}` : '';
  try {
    if (each.do === 'propose') return addProposal(state, each.setting, 'numbers', word('ann')) ?? state;
    if (each.do === 'revert') return revertActiveProposal(state, id, word('ann'));
    return applyTestedProposal(state, id, each.test === null ? null : said(each.test), level, word(each.by));
  } catch (error) {
    if (error instanceof Refusal) return state;
    throw error;
  }
}
const run = (ops: readonly Op[], level: SelfTuningLevel) =>
  ops.reduce((state, each) => done(state, each, level), EMPTY_TUNING_STATE);

describe('changes of the settings of a deployment', () => {
  it('nothing is in force above the level, nor above L1 or at L0 without a person, whatever is tried', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 25 }), fc.constantFrom(...SELF_TUNING_LEVELS), (ops, level) => {
        const { active_changes, proposals } = run(ops, level);
        for (const { proposal, change: of } of Object.values(active_changes)) {
          const by = proposals.find(({ id }) => id === proposal)?.applied_by;
          expect(rankTuningLevel(requiredTuningLevel(of))).toBeLessThanOrEqual(rankTuningLevel(level));
          if (level === 'L0' || rankTuningLevel(requiredTuningLevel(of)) > 1) expect(by).toBe('ann');
        }
      }),
      { numRuns: 150 },
    );
  });

  it('what is applied and taken back leaves exactly what was before, and both are in the trail', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 15 }), fc.constantFrom(...CHANGES), (ops, of) => {
        const some = run(ops, 'L3');
        const before = addProposal(some, of, 'numbers', word('ann'));
        if (!before) return;
        const id = before.proposals.at(-1)?.id ?? '';
        const applied = applyTestedProposal(before, id, said(true), 'L3', word('ann'));
        expect(applied.active_changes[buildSettingKey(of)]?.proposal).toBe(id);
        const after = revertActiveProposal(applied, id, word('bob'));
        expect(after.active_changes).toEqual(before.active_changes);
        expect(after.history.slice(0, 2).map(({ action, by }) => [action, by])).toEqual([
          ['revert', 'bob'],
          ['apply', 'ann'],
        ]);
        expect(TuningState.parse(JSON.parse(JSON.stringify(after)))).toEqual(after);
      }),
      { numRuns: 100 },
    );
  });

  it('of two proposals for one thing one applies; the other is refused, and says what stands there now', () => {
    const both = proposed(setting(0), setting(1));
    const one = applyTestedProposal(both, 'p1', said(true), 'L0', word('ann'));
    expect(() => applyTestedProposal(one, 'p2', said(true), 'L0', word('ann'))).toThrow(
      /p2 was made against what is configured, and threshold quality_threshold is now by p1/,
    );
    // Made anew, against what stands there now, it applies, and the first can only be taken back after it.
    const anew = addProposal(one, setting(1), 'numbers', word('ann')) as TuningState;
    const over = applyTestedProposal(anew, 'p3', said(true), 'L0', word('ann'));
    expect(() => revertActiveProposal(over, 'p1', word('ann'))).toThrow(/p3 has taken the place of p1/);
    expect(revertActiveProposal(over, 'p3', word('ann')).active_changes).toEqual(one.active_changes);
  });

  it('a test that does not hold leaves everything as it is, and its numbers are kept; a trial that fails ends', () => {
    const state = proposed(setting(0), setting(2));
    const refused = applyTestedProposal(state, 'p1', said(false), 'L1', word('ann'));
    expect(refused.active_changes).toEqual({});
    expect(refused.proposals[0]).toMatchObject({
      status: 'refused',
      test: { reason: 'dollars per task 0.1' },
    });
    const tried = applyTestedProposal(state, 'p2', null, 'L1', word(AUTOMATIC_TUNING_ACTOR));
    expect(tried.active_changes['prompt backend']).toMatchObject({ proposal: 'p2', share: 'half' });
    expect(
      applyTestedProposal(tried, 'p2', said(true), 'L1', word(AUTOMATIC_TUNING_ACTOR)).active_changes[
        'prompt backend'
      ]?.share,
    ).toBe('all');
    expect(
      applyTestedProposal(tried, 'p2', said(false), 'L1', word(AUTOMATIC_TUNING_ACTOR)).active_changes,
    ).toEqual({});
  });

  it('the same is proposed once, and what acts for itself rests after a revert and after enough in a day', () => {
    const state = proposed(setting(0));
    expect(addProposal(state, setting(0), 'numbers', word('ann'))).toBeNull();
    const applied = applyTestedProposal(state, 'p1', said(true), 'L1', word(AUTOMATIC_TUNING_ACTOR));
    expect(addProposal(applied, setting(0), 'numbers', word('ann'))).toBeNull();
    expect(findTuningCooldownReason(applied, 'L0', now)).toBeNull();
    const back = revertActiveProposal(applied, 'p1', word('ann'));
    expect(findTuningCooldownReason(back, 'L0', now)).toContain('taken back');
    expect(findTuningCooldownReason(back, 'L0', new Date(now.getTime() + 49 * 3_600_000))).toBeNull();
    let many = EMPTY_TUNING_STATE;
    for (let at = 0; at < 3; at++) {
      many =
        addProposal(many, { kind: 'prompt', role: `r${at}`, text: 'x' }, 'n', word(AUTOMATIC_TUNING_ACTOR)) ??
        many;
      many = applyTestedProposal(many, `p${at + 1}`, null, 'L1', word(AUTOMATIC_TUNING_ACTOR));
    }
    expect(findTuningCooldownReason(many, 'L1', now)).toBe('3 of level L1 within 24 hours');
    expect(findTuningCooldownReason(many, 'L0', now)).toBeNull();
  });
});
