import { describe, expect, it } from 'vitest';
import { listChallengerModelRoutes } from '../../../../shared/contract/models/gates-models.ts';
import { limitForModel, type ModelTokenGrant } from '../../../../shared/control/model-gateway/model-grant.ts';

const model = (name: string) =>
  ({ provider: 'openai', model: name, key: { via: 'environment', variable: 'KEY' } }) as const;
const grantOf = (adjudicator: string | null): ModelTokenGrant => {
  const gatesModels = listChallengerModelRoutes({
    challenger: model('gpt-6-codex'),
    ...(adjudicator !== null && { adjudicator: model(adjudicator) }),
  });
  return {
    ...{ taskId: 'T1', attempt: 1, caller: 'challenger', limitMicro: 1_000_000, hasTaskLimit: false },
    models: gatesModels.map((each) => each.model),
    gatesModels,
  };
};

describe('the budget of a challenge', () => {
  it('keeps a share for the adjudicator, which the CLI cannot spend', () => {
    expect(limitForModel(grantOf('gpt-6'), 'gpt-6-codex')).toBe(800_000);
    expect(limitForModel(grantOf('gpt-6'), 'gpt-6')).toBe(1_000_000);
  });

  it('is all for the CLI where no adjudicator is configured, or it is the same model', () => {
    expect(limitForModel(grantOf(null), 'gpt-6-codex')).toBe(1_000_000);
    expect(limitForModel(grantOf('gpt-6-codex'), 'gpt-6-codex')).toBe(1_000_000);
  });
});
