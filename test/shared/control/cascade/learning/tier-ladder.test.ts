import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../../shared/contract/agents/tiers.ts';
import {
  buildModelLadder,
  effortForLadderStep,
  isHighStakes,
} from '../../../../../shared/control/cascade/learning/tier-ladder.ts';
import { selectNextAttemptModel } from '../../../../../shared/control/cascade/model-selection.ts';
import { attempt, FIXED_NOW, report, submission, task } from '../../../../support/builders.ts';

const at = FIXED_NOW.toISOString();

describe('the ladder', () => {
  it.each([
    ['a standard task', {}, ['haiku', 'sonnet', 'opus']],
    ['a role that is routed to the top', { role: 'security' }, ['opus']],
    ['large and complex work', { scope: 'large' as const, complexity: 'high' as const }, ['opus']],
    ['high complexity', { complexity: 'high' as const }, ['sonnet', 'opus']],
    ['a large scope', { scope: 'large' as const }, ['sonnet', 'opus']],
    ['priority 1', { priority: 1 as const }, ['sonnet', 'opus']],
    ['a tier by name', { model: 'sonnet' }, ['sonnet', 'opus']],
    ['a tier by its model', { model: MODELS.opus }, ['opus']],
    ['the model of a lower tier, which it stays on', { model: MODELS.haiku }, ['haiku']],
    ['another model', { model: 'my-model' }, [null]],
    ['a named tier on high stakes', { model: 'haiku', priority: 1 as const }, ['haiku', 'sonnet', 'opus']],
    ['a named tier of a role routed to the top', { model: 'sonnet', role: 'manager' }, ['sonnet', 'opus']],
  ])('of %s', (_name, fields, tiers) => {
    expect(buildModelLadder(submission(fields), MODELS).map((rung) => rung.tier)).toEqual(tiers);
  });

  it('gives the route its effort, what tries before it least, what is climbed to most, unless the task says', () => {
    const efforts = (fields: Parameters<typeof submission>[0]) =>
      buildModelLadder(submission(fields), MODELS).map((rung) =>
        effortForLadderStep(submission(fields), rung),
      );
    expect(efforts({})).toEqual(['low', 'high', 'max']);
    expect(efforts({ complexity: 'low' })).toEqual(['low', 'normal', 'max']);
    expect(efforts({ scope: 'large', complexity: 'high' })).toEqual(['high']);
    expect(efforts({ effort: 'medium' })).toEqual(['medium', 'medium', 'medium']);
    expect(efforts({ model: 'my-model', complexity: 'low' })).toEqual(['normal']);
    expect(isHighStakes(submission())).toBe(false);
  });
});

describe('the choice of the next attempt', () => {
  const escalated = attempt({
    outcome: 'failed',
    decision: {
      action: 'escalate',
      reason: 'janitor verification failed',
      next_model: MODELS.sonnet,
      next_tier: 'sonnet',
      at,
    },
  });

  it('starts at the bottom, goes on where the decision says, and repeats what was lost', () => {
    expect(selectNextAttemptModel(task(), MODELS).rung.tier).toBe('haiku');
    expect(selectNextAttemptModel(task({ attempts: [escalated] }), MODELS).rung.tier).toBe('sonnet');
    const expired = attempt({ tier: 'opus', model: MODELS.opus, report: report(), outcome: 'expired' });
    expect(selectNextAttemptModel(task({ attempts: [expired] }), MODELS).rung.tier).toBe('opus');
    expect(
      selectNextAttemptModel(task({ attempts: [escalated], first_budgeted_attempt: 2 }), MODELS).rung.tier,
    ).toBe('haiku');
  });

  it('says why, with the row of the table', () => {
    const reasonOf = (of: Parameters<typeof selectNextAttemptModel>[0]) =>
      selectNextAttemptModel(of, MODELS).route;
    expect(reasonOf(task())).toEqual({
      rule: 'medium',
      reason: 'complexity medium (sonnet at high effort: ordinary work); haiku tries first, being cheaper',
    });
    expect(reasonOf(task({}, { role: 'manager' }))).toEqual({
      rule: 'manager',
      reason: 'role manager (opus at max effort: planning needs deep reasoning)',
    });
    expect(reasonOf(task({ attempts: [escalated] })).reason).toBe(
      'complexity medium (sonnet at high effort: ordinary work); climbed from haiku: janitor verification failed',
    );
    const lost = attempt({ outcome: 'infra_failed' });
    expect(reasonOf(task({ attempts: [lost] })).reason).toMatch(/; again after attempt 1$/);
  });
});
