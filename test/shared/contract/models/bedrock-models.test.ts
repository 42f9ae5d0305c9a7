import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import {
  BEDROCK_CLAUDE_MODELS,
  buildBedrockModelId,
  describeModelNotOffered,
  isModelNotOffered,
  listBedrockModelIds,
  selectBedrockBetas,
} from '../../../../shared/contract/models/bedrock-models.ts';
import { DEFAULT_MODEL_PROVIDERS } from '../../../../shared/contract/models/model-providers.ts';

describe('ids of models in Bedrock', () => {
  it.each(['us-east-1', 'us-west-2', 'eu-west-1', 'ap-northeast-1'])(
    'has a model for each default tier that %s offers',
    (region) => {
      const { anthropic } = DEFAULT_MODEL_PROVIDERS;
      if (anthropic?.via !== 'bedrock') throw new Error('the default is not Bedrock');
      for (const model of Object.values(DEFAULT_TIER_MODELS)) {
        expect(Object.keys(BEDROCK_CLAUDE_MODELS)).toContain(model);
        expect(listBedrockModelIds(region)).toContain(buildBedrockModelId('anthropic', model, anthropic));
      }
    },
  );

  it.each([
    ['claude-haiku-4-5', { endpoint: 'runtime' }, 'global.anthropic.claude-haiku-4-5-20251001-v1:0'],
    [
      'claude-haiku-4-5',
      { endpoint: 'runtime', geography: 'eu' },
      'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    ],
    ['claude-haiku-4-5', { endpoint: 'mantle' }, 'anthropic.claude-haiku-4-5'],
    ['claude-next', { endpoint: 'runtime', geography: 'us' }, 'us.anthropic.claude-next'],
    [
      'jp.anthropic.claude-opus-5-5',
      { endpoint: 'runtime', geography: 'us' },
      'jp.anthropic.claude-opus-5-5',
    ],
    ['us.anthropic.x', { endpoint: 'runtime', model_prefix: '' }, 'us.anthropic.x'],
    ['claude-x', { endpoint: 'runtime', model_prefix: 'us-gov.anthropic.' }, 'us-gov.anthropic.claude-x'],
  ] as const)('calls %s at %j by %s', (model, scope, id) => {
    expect(buildBedrockModelId('anthropic', model, scope)).toBe(id);
  });

  it('offers only the profiles of the geography of a Region, and none outside the commercial Regions', () => {
    const geographies = (region: string) =>
      new Set(listBedrockModelIds(region).map((id) => id.split('.')[0]));
    expect(geographies('eu-west-1')).toEqual(new Set(['global', 'eu']));
    expect(geographies('ap-northeast-1')).toEqual(new Set(['global', 'jp']));
    expect(geographies('ap-south-1')).toEqual(new Set(['global']));
    for (const region of ['cn-north-1', 'us-gov-west-1']) expect(listBedrockModelIds(region)).toEqual([]);
    expect(describeModelNotOffered('m', 'cn-north-1')).toContain('name a provider with a key');
  });

  it('tells a model that is not offered from a request that is wrong', () => {
    expect(isModelNotOffered(404, '')).toBe(true);
    expect(isModelNotOffered(400, '{"message":"The provided model identifier is invalid."}')).toBe(true);
    expect(isModelNotOffered(400, '{"message":"max_tokens: must be positive"}')).toBe(false);
    expect(isModelNotOffered(403, 'The provided model identifier is invalid.')).toBe(false);
  });

  it('keeps of the beta features those that Bedrock takes', () => {
    expect(selectBedrockBetas('a, interleaved-thinking-2025-05-14,b')).toBe(
      'interleaved-thinking-2025-05-14',
    );
    expect(selectBedrockBetas('claude-code-20250219')).toBeNull();
  });
});
