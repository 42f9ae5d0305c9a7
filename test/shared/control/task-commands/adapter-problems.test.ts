import { describe, expect, it, test } from 'vitest';
import { AgentAdapterSettings } from '../../../../shared/contract/agents/adapter.ts';
import type { AgentCliManifest } from '../../../../shared/contract/agents/adapter-manifest.ts';
import {
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
} from '../../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS, selectTierModels } from '../../../../shared/contract/agents/tiers.ts';
import { MODEL_PRICES } from '../../../../shared/contract/models/model-prices.ts';
import { buildModelLadder } from '../../../../shared/control/cascade/learning/tier-ladder.ts';
import { allowedModels } from '../../../../shared/control/model-gateway/model-grant.ts';
import {
  type AvailableAgentClis,
  findAdapterProblems,
} from '../../../../shared/control/task-commands/adapter-problems.ts';
import { submission } from '../../../support/builders.ts';

const DEPLOYED: AvailableAgentClis = {
  defaultAdapter: AgentAdapterSettings.parse({ kind: 'claude' }),
  containerClis: ['claude'],
  modelVendors: ['anthropic'],
  tierModels: DEFAULT_TIER_MODELS,
};
const LAPTOP: AvailableAgentClis = { ...DEPLOYED, containerClis: null, modelVendors: [] };
const OWN_GATEWAY: AvailableAgentClis = { ...DEPLOYED, modelVendors: null };
const problems = (request: Parameters<typeof submission>[0], agents = DEPLOYED) =>
  findAdapterProblems(submission(request), agents).map(({ pointer, message }) => `${pointer}: ${message}`);
const codex = AgentAdapterSettings.parse({ kind: 'codex' });
const gemini = AgentAdapterSettings.parse({ kind: 'gemini' });

describe('a task that no agent of the deployment can do is refused with what to set', () => {
  test.each<[string, Parameters<typeof submission>[0], AvailableAgentClis, readonly string[]]>([
    ['names no adapter and the default has all it needs', {}, DEPLOYED, []],
    [
      'names a CLI that the image does not bring',
      { adapter: codex },
      DEPLOYED,
      [
        `/adapter: the agent box of this deployment has claude, command; for codex, deploy with -c assay:agentClis='["claude","codex"]'`,
      ],
    ],
    [
      'needs models that the deployment has no access to',
      { adapter: codex },
      { ...DEPLOYED, containerClis: ['claude', 'codex'] },
      [
        '/adapter: codex needs models of openai, which this deployment has no access to: name who answers for openai in -c assay:models (docs/how-to/models.md), and deploy, or choose another adapter',
      ],
    ],
    [
      'runs on a laptop without a key, by default',
      {},
      LAPTOP,
      [
        '/adapter: claude needs models of anthropic, which this deployment has no access to: start assay up with ANTHROPIC_API_KEY in its environment, or choose another adapter',
      ],
    ],
    [
      'names a model of another provider',
      { model: 'gpt-6-luna' },
      DEPLOYED,
      [
        "/model: gpt-6-luna is no model that claude can run; name one of its provider's, a tier, or another adapter",
      ],
    ],
    [
      'names a model for which the CLI asks for another',
      { adapter: gemini, model: 'gemini-3.5-flash' },
      { ...LAPTOP, modelVendors: ['gemini'] },
      ['/model: gemini 0.61.0 asks for gemini-3.8-flash in place of gemini-3.5-flash; name gemini-3.8-flash'],
    ],
    ['names a model of the provider', { model: 'claude-opus-4-7' }, DEPLOYED, []],
    ['names a tier', { model: 'opus' }, DEPLOYED, []],
    [
      'names an effort that the adapter lacks',
      { adapter: gemini, effort: 'max' },
      { ...LAPTOP, modelVendors: ['gemini'] },
      ['/effort: gemini knows no effort; leave it out, and choose a model instead'],
    ],
    ['brings its own program', { adapter: { kind: 'command', argv: ['x'] }, model: 'any' }, LAPTOP, []],
    ['is done by an outside agent', { runner: 'external', adapter: codex, model: 'any' }, LAPTOP, []],
    ['has a model that only a gateway of the user knows', { model: 'our-own-model' }, OWN_GATEWAY, []],
  ])('%s', (_, request, agents, expected) => {
    expect(problems(request, agents)).toEqual(expected);
  });

  test('a model that the deployment has as a tier is one, whatever its name', () => {
    const tiers = { ...DEFAULT_TIER_MODELS, opus: 'arn-of-a-profile' };
    expect(problems({ model: 'arn-of-a-profile' }, { ...DEPLOYED, tierModels: tiers })).toEqual([]);
  });
});

describe('the tiers of an adapter', () => {
  test.each(AGENT_CLI_KINDS.filter((kind) => AGENT_CLI_MANIFESTS[kind].tiers !== null))(
    '%s can run, and have a price',
    (kind) => {
      const { modelPattern: models, tiers } = AGENT_CLI_MANIFESTS[kind];
      for (const model of Object.values(tiers?.models ?? {})) {
        expect(model).toMatch(models ?? 'no model');
        expect(MODEL_PRICES.map((price) => price.model)).toContain(model);
      }
    },
  );

  test('are the deployment’s own where its provider is the same, else the adapter’s', () => {
    const own = { ...DEFAULT_TIER_MODELS, haiku: 'claude-haiku-9' };
    expect(selectTierModels(undefined, own)).toBe(own);
    expect(selectTierModels(AgentAdapterSettings.parse({ kind: 'claude' }), own)).toBe(own);
    expect(selectTierModels(AgentAdapterSettings.parse({ kind: 'opencode' }), own)).toBe(own);
    const unknown = { haiku: 'a', sonnet: 'b', opus: 'c' };
    expect(selectTierModels(codex, unknown)).toBe(unknown);
    expect(selectTierModels(codex, own)).toEqual(AGENT_CLI_MANIFESTS.codex.tiers.models);
    expect(
      buildModelLadder(submission({ adapter: gemini, model: 'haiku' }), own).map(({ model }) => model),
    ).toEqual(Object.values(AGENT_CLI_MANIFESTS.gemini.tiers.models));
  });

  test('are what its token is good for', () => {
    expect(allowedModels({ model: 'gpt-6.1-sol', tier: 'sonnet' }, codex, DEFAULT_TIER_MODELS)).toEqual([
      'gpt-6.1-sol',
      'gpt-6-luna',
    ]);
  });
});

it('no tier of an adapter is a model for which its CLI asks for another', () => {
  for (const { tiers, replacedModels = {} } of Object.values<AgentCliManifest>(AGENT_CLI_MANIFESTS))
    for (const model of Object.values(tiers?.models ?? {}))
      expect(Object.keys(replacedModels)).not.toContain(model);
});
