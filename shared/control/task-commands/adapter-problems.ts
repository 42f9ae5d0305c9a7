import { type AgentAdapterSettings, takesModel } from '../../contract/agents/adapter.ts';
import type { AgentCliManifest } from '../../contract/agents/adapter-manifest.ts';
import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import { isTier, selectTierModels } from '../../contract/agents/tiers.ts';
import { type ConfiguredPrices, hasPrice } from '../../contract/models/model-prices.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import { MODEL_PROVIDER_ENV_NAMES } from '../../contract/resource-names.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';

/** What a deployment has to run tasks with. */
export interface AvailableAgentClis {
  /** Runs a task that names none. */
  readonly defaultAdapter: AgentAdapterSettings;
  /** CLIs that the agent box has; null: whatever is installed, as on a laptop. */
  readonly containerClis: readonly AgentCliKind[] | null;
  /** Of what is installed on a laptop: what another one's task may go to. Absent: `clis`. */
  readonly installedClis?: readonly AgentCliKind[];
  /** Whose models the gateway has; null: a gateway of the user's own, of which nobody knows. */
  readonly modelVendors: readonly ProviderName[] | null;
  readonly tierModels: TierModels;
  /** The operator's own prices of models; absent: none. */
  readonly prices?: ConfiguredPrices;
}

export interface SubmissionProblem {
  /** JSON Pointer in the request. */
  readonly pointer: string;
  readonly message: string;
}

function missingCliReason(kind: AgentCliKind, { containerClis }: AvailableAgentClis): string | null {
  if (containerClis === null || containerClis.includes(kind)) return null;
  const wanted = JSON.stringify([...containerClis, kind]);
  return `the agent box of this deployment has ${[...containerClis, 'command'].join(', ')}; for ${kind}, deploy with -c assay:agentClis='${wanted}'`;
}

function missingModelsReason(
  kind: AgentCliKind,
  { modelVendors, containerClis }: AvailableAgentClis,
): string | null {
  const { vendor } = AGENT_CLI_MANIFESTS[kind];
  if (modelVendors === null || modelVendors.includes(vendor)) return null;
  const remedy =
    containerClis === null
      ? `start assay up with ${MODEL_PROVIDER_ENV_NAMES[vendor].key} in its environment`
      : `name who answers for ${vendor} in -c assay:models (docs/how-to/models.md), and deploy`;
  return `${kind} needs models of ${vendor}, which this deployment has no access to: ${remedy}, or choose another adapter`;
}

function wrongModelReason(
  model: string,
  kind: AgentCliKind,
  adapter: AgentAdapterSettings,
  agents: AvailableAgentClis,
): string | null {
  const { modelPattern, replacedModels, install }: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
  const asked = replacedModels?.[model];
  if (asked !== undefined)
    return `${kind} ${install.version} asks for ${asked} in place of ${model}; name ${asked}`;
  const known = Object.values(selectTierModels(adapter, agents.tierModels));
  if (agents.modelVendors === null || modelPattern === null || isTier(model) || known.includes(model))
    return null;
  return modelPattern.test(model)
    ? null
    : `${model} is no model that ${kind} can run; name one of its provider's, a tier, or another adapter`;
}

/** A limit in dollars cannot hold where a model that may be asked has no price: the gateway would refuse each of its calls. */
function unpricedModelReason(
  { model, budget }: TaskSubmission,
  adapter: AgentAdapterSettings,
  { tierModels, modelVendors, prices = {} }: AvailableAgentClis,
): string | null {
  if (budget?.max_cost_usd === undefined || modelVendors === null) return null;
  const tiers = selectTierModels(adapter, tierModels);
  const at = new Date().toISOString();
  const first = model === undefined ? [] : [isTier(model) ? tiers[model] : model];
  const unpriced = [...first, ...Object.values(tiers)].find((each) => !hasPrice(each, at, prices));
  return unpriced === undefined
    ? null
    : `${unpriced} has no price, so the limit could not hold; leave it out, or give the model a price (docs/how-to/self-hosted-models.md)`;
}

/** Why no agent of this deployment can do a task, and what to set; empty when one can. An external agent brings its own. */
export function findAdapterProblems(
  request: TaskSubmission,
  agents: AvailableAgentClis,
): SubmissionProblem[] {
  const adapter = request.adapter ?? agents.defaultAdapter;
  const { kind } = adapter;
  if (request.runner === 'external') return [];
  if (kind === 'command') {
    const unpriced = takesModel(adapter) ? unpricedModelReason(request, adapter, agents) : null;
    return unpriced === null ? [] : [{ pointer: '/budget/max_cost_usd', message: unpriced }];
  }
  const { effort, model } = request;
  const problem = (pointer: string, message: string | null): SubmissionProblem[] =>
    message === null ? [] : [{ pointer, message }];
  return [
    ...problem('/adapter', missingCliReason(kind, agents) ?? missingModelsReason(kind, agents)),
    ...problem(
      '/effort',
      effort !== undefined && AGENT_CLI_MANIFESTS[kind].effortLevels === null
        ? `${kind} knows no effort; leave it out, and choose a model instead`
        : null,
    ),
    ...problem('/budget/max_cost_usd', unpricedModelReason(request, adapter, agents)),
    ...problem('/model', model === undefined ? null : wrongModelReason(model, kind, adapter, agents)),
  ];
}
