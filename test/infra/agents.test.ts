import { describe, expect, it } from 'vitest';
import { AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { agentBuildArguments, FUNCTION_IDS, only, synthesise } from './synthesise.ts';

function submitEnvironment(context: Record<string, unknown>): Record<string, unknown> {
  const { Properties } = only(synthesise(context), 'AWS::Lambda::Function', FUNCTION_IDS['api-submit']);
  const variables = Properties['Environment']['Variables'] as Record<string, string>;
  return Object.fromEntries(
    [FUNCTION_ENV_NAMES.agentClis, FUNCTION_ENV_NAMES.modelVendors, FUNCTION_ENV_NAMES.tierModels].map(
      (name) => [name, JSON.parse(variables[name] ?? '')],
    ),
  );
}

describe('the agents of a deployment', () => {
  it('are Claude Code alone where nothing is said, with models of Bedrock', () => {
    expect(agentBuildArguments({})).toEqual([{ AGENT_CLIS: 'claude' }]);
    expect(submitEnvironment({})).toEqual({
      [FUNCTION_ENV_NAMES.agentClis]: ['claude'],
      [FUNCTION_ENV_NAMES.modelVendors]: ['anthropic'],
      [FUNCTION_ENV_NAMES.tierModels]: DEFAULT_TIER_MODELS,
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
      [FUNCTION_ENV_NAMES.agentClis]: ['gemini', 'codex'],
      [FUNCTION_ENV_NAMES.modelVendors]: ['openai'],
      [FUNCTION_ENV_NAMES.tierModels]: AGENT_CLI_MANIFESTS.codex.tiers.models,
    });
  });

  it('may use any model where the gateway is the user’s own', () => {
    const context = { 'assay:agentClis': '[]', 'assay:modelGateway': 'https://models.example/' };
    expect(submitEnvironment(context)).toMatchObject({ [FUNCTION_ENV_NAMES.modelVendors]: null });
  });
});
