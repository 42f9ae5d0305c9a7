import { describe, expect, it } from 'vitest';
import { mintModelToken } from '../../../../shared/contract/access/tokens.ts';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import {
  listGatesModelRoutes,
  routeModelsThroughGateway,
} from '../../../../shared/contract/models/gates-models.ts';
import { JudgeModels } from '../../../../shared/contract/models/judge-models.ts';
import { gatesModelAccess } from '../../../../shared/control/model-gateway/model-access.ts';
import { gatesModelGrant } from '../../../../shared/control/model-gateway/model-grant.ts';
import { sha256 } from '../../../../shared/lib/sha256.ts';
import { attempt, FIXED_NOW, task } from '../../../support/builders.ts';

const key = {
  via: 'secret',
  arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:models-AbCdEf',
} as const;
const ALL = JudgeModels.parse({
  judge: { provider: 'anthropic', model: 'claude-opus-5-5', key },
  intent: { provider: 'bedrock', model: 'us.anthropic.claude-haiku-4-5', region: 'us-east-1' },
  rubric: { provider: 'openai', model: 'gpt-5.5', key, price: { input: 1, output: 2 } },
  test_writer: { provider: 'openai_compatible', model: 'own', url: 'https://models.test/v1' },
  cross_model: [
    { provider: 'google', model: 'gemini-2.5-flash', key },
    { provider: 'openrouter', model: 'qwen/qwen3', key },
  ],
});
const GATEWAY = 'https://gateway.test';

describe('models that gates may ask', () => {
  it('are known to the box by name, price and family; it speaks to the gateway, and no key is named', () => {
    const inBox = routeModelsThroughGateway(ALL, GATEWAY);
    expect(inBox).toMatchObject({
      intent: { provider: 'anthropic', url: GATEWAY, family: 'anthropic' },
      rubric: { provider: 'openai', url: `${GATEWAY}/v1`, price: { input: 1, output: 2 } },
      test_writer: { provider: 'openai_compatible', url: `${GATEWAY}/v1` },
      cross_model: [
        { provider: 'google', url: GATEWAY },
        { provider: 'openai_compatible', url: `${GATEWAY}/v1`, family: 'alibaba' },
      ],
    });
    expect(inBox.judge).toBeUndefined();
    expect(JSON.stringify(inBox)).not.toMatch(/arn:|models\.test/);
    expect(JudgeModels.parse(JSON.parse(JSON.stringify(inBox)))).toEqual(inBox);
  });

  it('are reached by the gateway as they are configured, and the judge of the janitor is not among them', () => {
    expect(listGatesModelRoutes(ALL)).toEqual([
      {
        model: 'us.anthropic.claude-haiku-4-5',
        vendor: 'anthropic',
        endpoint: { via: 'bedrock', endpoint: 'runtime', model_prefix: '', region: 'us-east-1' },
      },
      { model: 'gpt-5.5', vendor: 'openai', endpoint: key, price: { input: 1, output: 2 } },
      { model: 'own', vendor: 'openai', endpoint: { via: 'none', url: 'https://models.test/v1' } },
      { model: 'gemini-2.5-flash', vendor: 'gemini', endpoint: key },
      { model: 'qwen/qwen3', vendor: 'openai', endpoint: { ...key, url: 'https://openrouter.ai/api/v1' } },
    ]);
  });

  it('are refused where the gateway has no protocol for them', () => {
    const wrong = { provider: 'bedrock', model: 'mistral.large' };
    expect(JudgeModels.safeParse({ rubric: wrong }).error?.issues[0]?.message).toContain('gates can ask');
    expect(JudgeModels.safeParse({ cross_model: [wrong] }).success).toBe(false);
    expect(JudgeModels.safeParse({ judge: wrong }).success).toBe(true);
  });

  it('are handed out by our own gateway only, and where there are any', () => {
    const gateway = { url: GATEWAY, metersUsage: true, tiers: DEFAULT_TIER_MODELS, judges: ALL };
    const of = { id: 'T1' };
    expect(gatesModelAccess(of, { number: 1 }, gateway)?.token).toMatch(/^assay_opinion_T1\.1\./);
    expect(gatesModelAccess(of, { number: 1 }, { ...gateway, metersUsage: false })).toBeNull();
    expect(gatesModelAccess(of, { number: 1 }, { ...gateway, judges: { judge: ALL.judge } })).toBeNull();
  });
});

describe('the token of gates for opinions', () => {
  const token = mintModelToken('T1', 1, 'gates');
  const launch = {
    number: 1,
    token_sha256: 'x',
    model_token_sha256: sha256(token),
    assignment_key: 'k',
    lost: false,
    launched_at: FIXED_NOW.toISOString(),
  };
  const running = attempt({ gates: launch, verification: null, outcome: null });
  const granted = (changes = {}, fields = {}, hash = sha256(token)) =>
    gatesModelGrant(
      task({ id: 'T1', status: 'in_review', ...fields, attempts: [{ ...running, ...changes }] }),
      1,
      hash,
      listGatesModelRoutes(ALL),
    );

  it('is good while that box runs, for what is configured and nothing else', () => {
    expect(granted()).toMatchObject({ caller: 'gates', models: expect.arrayContaining(['own', 'gpt-5.5']) });
    expect(granted()?.models).not.toContain('claude-opus-5-5');
  });

  it('spends what is left of the task’s budget, and two dollars at the most', () => {
    const paid = { cost_usd: 0.25, gates_metered_usage: { calls: 1, cost_usd: 0.5, unsettled_calls: 0 } };
    const earlier = attempt({ number: 1, ...paid });
    const present = { ...running, number: 2, cost_usd: 0.25 };
    const of = (max_cost_usd?: number, changes = {}) =>
      gatesModelGrant(
        task({
          ...{ id: 'T1', status: 'in_review' },
          budget: { max_attempts: 3, ...(max_cost_usd !== undefined && { max_cost_usd }) },
          attempts: [earlier, { ...present, ...changes }],
        }),
        2,
        sha256(token),
        listGatesModelRoutes(ALL),
      );
    expect(of()).toMatchObject({ limitMicro: 2_000_000, hasTaskLimit: false });
    expect(of(10)).toMatchObject({ limitMicro: 2_000_000, hasTaskLimit: true });
    // Of 1.50 the first attempt took 0.75 with its gates, the agent of this one 0.25.
    expect(of(1.5)).toMatchObject({ limitMicro: 500_000, hasTaskLimit: true });
    expect(of(1)?.limitMicro).toBe(0);
    // What its own gates have spent is in the meter that is held against this limit.
    expect(
      of(1.5, { gates_metered_usage: { calls: 1, cost_usd: 0.1, unsettled_calls: 0 } })?.limitMicro,
    ).toBe(500_000);
  });

  it.each([
    ['evidence is in', { verification: {} }, {}],
    ['the box has failed', { verification_failure: {} }, {}],
    ['the attempt has ended', { outcome: 'failed' }, {}],
    ['the box is lost', { gates: { ...launch, lost: true } }, {}],
    ['another was started', { gates: { ...launch, model_token_sha256: sha256('another') } }, {}],
    ['there is no box', { gates: null }, {}],
    ['the task has ended', {}, { status: 'cancelled' }],
  ] as const)('is dead when %s', (_, changes, fields) => {
    expect(granted(changes, fields)).toBeNull();
  });
});
