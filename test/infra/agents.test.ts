import { describe, expect, it } from 'vitest';
import { ADAPTER_FACTS } from '../../shared/contract/agents/adapter-facts.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { ENV } from '../../shared/contract/names.ts';
import { agentBuildArguments, FUNCTION_IDS, only, synthesise } from './synthesise.ts';

function submitEnvironment(context: Record<string, unknown>): Record<string, unknown> {
  const { Properties } = only(synthesise(context), 'AWS::Lambda::Function', FUNCTION_IDS['api-submit']);
  const variables = Properties['Environment']['Variables'] as Record<string, string>;
  return Object.fromEntries(
    [ENV.agentClis, ENV.modelVendors, ENV.tierModels].map((name) => [
      name,
      JSON.parse(variables[name] ?? ''),
    ]),
  );
}

describe('the agents of a deployment', () => {
  it('are Claude Code alone where nothing is said, with models of Bedrock', () => {
    expect(agentBuildArguments({})).toEqual([{ AGENT_CLIS: 'claude' }]);
    expect(submitEnvironment({})).toEqual({
      [ENV.agentClis]: ['claude'],
      [ENV.modelVendors]: ['anthropic'],
      [ENV.tierModels]: DEFAULT_TIER_MODELS,
    });
  });

  it('are those of the setting and that of the default adapter, whose models the tiers are', () => {
    const context = {
      'assay:agentClis': '["gemini"]',
      'assay:defaultAdapter': '{"kind":"codex"}',
      'assay:models': '{"openai":{"via":"parameter","name":"/keys/openai"}}',
    };
    expect(agentBuildArguments(context)).toEqual([{ AGENT_CLIS: 'gemini codex' }]);
    expect(submitEnvironment(context)).toEqual({
      [ENV.agentClis]: ['gemini', 'codex'],
      [ENV.modelVendors]: ['openai'],
      [ENV.tierModels]: ADAPTER_FACTS.codex.tiers.models,
    });
  });

  it('may use any model where the gateway is the user’s own', () => {
    const context = { 'assay:agentClis': '[]', 'assay:modelGateway': 'https://models.example/' };
    expect(submitEnvironment(context)).toMatchObject({ [ENV.modelVendors]: null });
  });
});
