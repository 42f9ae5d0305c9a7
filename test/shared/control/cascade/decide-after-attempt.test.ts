import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_CLI_MANIFESTS } from '../../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { FAILURE_CODES, type FailureCode } from '../../../../shared/contract/failure/failure-class.ts';
import {
  type FailureRemedy,
  isRemedyOutsideAttemptBudget,
  remedyForCode,
} from '../../../../shared/contract/failure/failure-classes.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  budgetExhaustedReason,
  decideNextCascadeAction,
  findEscalationReason,
} from '../../../../shared/control/cascade/decide-after-attempt.ts';
import type { AvailableAgentClis } from '../../../../shared/control/task-commands/adapter-problems.ts';
import {
  artifact,
  attempt,
  FIXED_NOW,
  fakeSha1,
  meteredUsage,
  report,
  taskInReview,
  verdict,
} from '../../../support/builders.ts';

const answeredWith = (remedy: FailureRemedy) =>
  FAILURE_CODES.filter((each) => remedyForCode(each) === remedy);

const failed = (fields: Partial<Attempt> = {}, taskFields: Partial<Task> = {}) =>
  taskInReview({ verdict: verdict({ verdict: 'fail' }), ...fields }, taskFields);
const onTier = (tier: 'haiku' | 'sonnet' | 'opus', fields: Partial<Attempt> = {}) => ({
  tier,
  model: MODELS[tier],
  ...fields,
});

describe('the escalation triggers, in order', () => {
  it.each([
    [
      'a hard failure with nothing to look at',
      { report: report({ status: 'failed', summary: '', output_tail: '' }) },
      'task failed',
    ],
    [
      'the janitor before the words',
      { verdict: verdict({ verdict: 'fail' }), report: report({ output_tail: "I'm not sure" }) },
      'janitor verification failed',
    ],
    [
      'words of low confidence on passing work',
      { verdict: verdict(), report: report({ output_tail: "I'm not sure it works" }) },
      `low confidence: "I'm not sure"`,
    ],
    [
      'words before the flag',
      {
        report: report({ status: 'failed', summary: 'gave up', output_tail: 'this is beyond my abilities' }),
      },
      'low confidence: "this is beyond my"',
    ],
    [
      'the explicit flag last',
      { report: report({ status: 'failed', summary: 'gave up', output_tail: 'stack trace' }) },
      'explicit failure',
    ],
    ['nothing', { verdict: verdict() }, null],
  ])('%s', (_name, fields, expected) => {
    expect(findEscalationReason(attempt({ report: report(), artifact: artifact(), ...fields }))).toBe(
      expected,
    );
  });
});

describe('what follows from an attempt', () => {
  it('climbs haiku, sonnet, opus, and gives up on top', () => {
    expect(decideNextCascadeAction(failed(onTier('haiku')), MODELS)).toMatchObject({
      action: 'escalate',
      next_tier: 'sonnet',
      next_model: MODELS.sonnet,
    });
    expect(decideNextCascadeAction(failed(onTier('sonnet')), MODELS)).toMatchObject({
      action: 'escalate',
      next_tier: 'opus',
    });
    expect(decideNextCascadeAction(failed(onTier('opus')), MODELS)).toMatchObject({
      action: 'give_up',
      next_model: null,
    });
  });

  it('accepts a pass, verified or not', () => {
    expect(decideNextCascadeAction(taskInReview({ verdict: verdict() }), MODELS)).toMatchObject({
      action: 'accept',
      reason: 'verdict pass',
    });
    expect(
      decideNextCascadeAction(taskInReview({ verdict: verdict({ verified: false }) }), MODELS),
    ).toMatchObject({
      action: 'accept',
      reason: 'completed unverified',
    });
  });

  it('climbs on low confidence although the work passed, but lets evidence outweigh words on the last tier', () => {
    const unsure = {
      verdict: verdict(),
      report: report({ output_tail: 'This is a partial implementation.' }),
    };
    expect(decideNextCascadeAction(taskInReview({ ...onTier('haiku'), ...unsure }), MODELS)).toMatchObject({
      action: 'escalate',
    });
    expect(decideNextCascadeAction(taskInReview({ ...onTier('opus'), ...unsure }), MODELS)).toMatchObject({
      action: 'accept',
    });
  });

  it('asks a person when the evidence is not conclusive', () => {
    expect(
      decideNextCascadeAction(
        taskInReview({
          verdict: verdict({
            verdict: 'refer',
            reasons: [{ code: 'gate_could_not_run', subject: 'lint', message: 'no ruff here' }],
          }),
        }),
        MODELS,
      ),
    ).toMatchObject({ action: 'refer', reason: 'no ruff here' });
  });

  it.each(FAILURE_CODES.filter((each) => isRemedyOutsideAttemptBudget(remedyForCode(each))))(
    'repeats on the same tier after %s, within the retries',
    (failureClass) => {
      const of = taskInReview({
        ...onTier('sonnet'),
        report: report({ status: 'failed', failure_code: failureClass }),
        artifact: null,
      });
      expect(decideNextCascadeAction(of, MODELS)).toMatchObject({
        action: 'retry',
        next_model: MODELS.sonnet,
      });
      expect(decideNextCascadeAction({ ...of, retries: 3 }, MODELS).action).toBe('give_up');
    },
  );

  it('believes what the gateway has seen of the provider rather than what the agent makes of it', () => {
    const decided = (claimed: FailureCode, seen: FailureCode) =>
      decideNextCascadeAction(
        taskInReview({
          ...onTier('sonnet'),
          report: report({ status: 'failed', failure_code: claimed }),
          artifact: null,
          metered_usage: meteredUsage({ code: seen, status: 429, calls: 5, retry_at: null }),
        }),
        MODELS,
      );
    for (const claimed of ['agent_failed', 'timeout', 'agent_crashed', 'turn_limit'] as const)
      expect(decided(claimed, 'rate_limited')).toMatchObject({ action: 'retry', reason: 'rate_limited' });
    // Claude Code and Gemini CLI do not tell it from a rate limit.
    expect(decided('rate_limited', 'provider_spend_limit')).toMatchObject({ action: 'give_up' });
    expect(decided('config_invalid', 'rate_limited')).toMatchObject({
      action: 'give_up',
      reason: 'config_invalid',
    });
    expect(decided('provider_spend_limit', 'provider_transient').action).toBe('give_up');
  });

  it('goes to another provider of the same tier where the limit of one is spent, each once, and never for a budget of its own', () => {
    const agents: AvailableAgentClis = {
      defaultAdapter: { kind: 'claude', timeout_s: 900 },
      containerClis: ['claude', 'codex'],
      modelVendors: ['anthropic', 'openai'],
      tierModels: MODELS,
    };
    const met = (fields: Partial<Task> = {}, seen: FailureCode | null = 'provider_spend_limit') =>
      decideNextCascadeAction(
        taskInReview(
          {
            ...onTier('sonnet'),
            report: report({ status: 'failed', failure_code: 'provider_spend_limit' }),
            artifact: null,
            metered_usage: meteredUsage(seen && { code: seen, status: 429, calls: 1, retry_at: null }),
          },
          fields,
        ),
        MODELS,
        agents,
      );
    expect(met()).toEqual({
      action: 'retry',
      reason: 'provider_spend_limit; codex has another provider',
      next_model: AGENT_CLI_MANIFESTS.codex.tiers.models.sonnet,
      next_tier: 'sonnet',
      next_adapter: 'codex',
    });
    expect(met({}, null).action).toBe('give_up');
    expect(met({ error_action_overrides: { provider_spend_limit: 'fail' } }).action).toBe('give_up');
    expect(met({ adapter: { kind: 'claude', timeout_s: 900 } }).action).toBe('give_up');
    expect(met({ model: 'claude-of-ours' }).action).toBe('give_up');
    const both = {
      ...taskInReview(onTier('sonnet')).attempts[0],
      adapter: 'codex' as const,
      number: 1,
    } as Attempt;
    const last = taskInReview({ ...onTier('sonnet'), number: 2 }).attempts[0] as Attempt;
    const spent = {
      ...last,
      report: report({ status: 'failed', failure_code: 'provider_spend_limit' }),
      artifact: null,
    } as Attempt;
    expect(
      decideNextCascadeAction({ ...taskInReview({}), attempts: [both, spent] }, MODELS, agents).action,
    ).toBe('give_up');
  });

  it.each(answeredWith('stronger_tier'))('climbs after %s, and ends on top', (failureClass) => {
    const endOn = (tier: 'haiku' | 'opus') =>
      decideNextCascadeAction(
        taskInReview({
          ...onTier(tier),
          report: report({ status: 'failed', failure_code: failureClass }),
          artifact: null,
        }),
        MODELS,
      );
    expect(endOn('haiku')).toMatchObject({
      action: 'escalate',
      next_tier: 'sonnet',
      reason: failureClass,
    });
    expect(endOn('opus').action).toBe('give_up');
  });

  it('tries once more on the same tier after a time limit, as an attempt of the budget', () => {
    const first = taskInReview({
      ...onTier('haiku'),
      report: report({ status: 'failed', failure_code: 'timeout' }),
      artifact: null,
    });
    expect(decideNextCascadeAction(first, MODELS)).toMatchObject({
      action: 'retry',
      next_tier: 'haiku',
      reason: 'timeout',
    });
    expect(decideNextCascadeAction({ ...first, budget: { max_attempts: 1 } }, MODELS).action).toBe('give_up');
  });

  it.each(answeredWith('end'))('gives up at once after %s', (failureClass) => {
    expect(
      decideNextCascadeAction(
        taskInReview({ report: report({ status: 'failed', failure_code: failureClass }), artifact: null }),
        MODELS,
      ),
    ).toMatchObject({ action: 'give_up', reason: failureClass });
  });

  it('follows the word of a person on the tree that the person saw', () => {
    const by = {
      by: 'ann',
      reason: 'read it',
      at: FIXED_NOW.toISOString(),
      base_commit: fakeSha1('a'),
      tree: fakeSha1('b'),
    };
    const referred = { verdict: verdict({ verdict: 'refer' }) };
    expect(
      decideNextCascadeAction(taskInReview(referred, { review: { ...by, decision: 'approve' } }), MODELS)
        .action,
    ).toBe('accept');
    expect(
      decideNextCascadeAction(taskInReview(referred, { review: { ...by, decision: 'reject' } }), MODELS)
        .action,
    ).toBe('escalate');
    expect(
      decideNextCascadeAction(
        taskInReview(referred, { review: { ...by, tree: fakeSha1('d'), decision: 'approve' } }),
        MODELS,
      ).action,
    ).toBe('refer');
  });

  it('keeps to the budget of attempts and of dollars', () => {
    const three = failed(
      {},
      {
        attempts: [1, 2, 3].map((number) =>
          attempt({
            number,
            outcome: number === 3 ? null : 'failed',
            verdict: verdict({ verdict: 'fail' }),
            report: report(),
            cost_usd: 0.5,
          }),
        ),
      },
    );
    expect(decideNextCascadeAction({ ...three, budget: { max_attempts: 3 } }, MODELS)).toMatchObject({
      action: 'give_up',
    });
    expect(
      decideNextCascadeAction({ ...three, budget: { max_attempts: 9, max_cost_usd: 1.5 } }, MODELS),
    ).toMatchObject({
      action: 'give_up',
    });
    expect(
      decideNextCascadeAction({ ...three, budget: { max_attempts: 9, max_cost_usd: 1.6 } }, MODELS),
    ).toMatchObject({
      action: 'escalate',
    });
    expect(
      budgetExhaustedReason({ ...three, budget: { max_attempts: 3 }, first_budgeted_attempt: 3 }),
    ).toBeNull();
  });

  it('stays on a model that the task insists on', () => {
    const insisted = { ...failed({ tier: null, model: 'my-model' }), model: 'my-model' };
    expect(decideNextCascadeAction(insisted, MODELS).action).toBe('give_up');
  });

  it('never accepts failed work, never climbs on what could not run', () => {
    const anyAttempt = fc.record({
      verdict: fc.option(fc.constantFrom('pass', 'fail', 'refer')),
      verified: fc.boolean(),
      status: fc.constantFrom('completed', 'failed'),
      failureClass: fc.option(fc.constantFrom(...FAILURE_CODES)),
      tail: fc.string({ maxLength: 50 }),
      tier: fc.constantFrom('haiku', 'sonnet', 'opus'),
    });
    fc.assert(
      fc.property(anyAttempt, fc.integer({ min: 0, max: 4 }), (made, retries) => {
        const of = taskInReview(
          {
            ...onTier(made.tier as 'haiku'),
            verdict:
              made.verdict === null
                ? null
                : verdict({ verdict: made.verdict as 'pass', verified: made.verified }),
            report: report({
              status: made.status as 'completed',
              failure_code: made.failureClass,
              output_tail: made.tail,
            }),
          },
          { retries },
        );
        const { action } = decideNextCascadeAction(of, MODELS);
        if (action === 'accept') expect(made.verdict).toBe('pass');
        if (
          made.failureClass &&
          ['again', 'excused', 'later', 'end'].includes(remedyForCode(made.failureClass))
        )
          expect(action).not.toBe('escalate');
        if (made.verdict === 'refer' && !made.failureClass) expect(action).toBe('refer');
      }),
    );
  });
});
