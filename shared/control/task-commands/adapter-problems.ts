import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import type { AgentCliManifest } from '../../contract/agents/adapter-manifest.ts';
import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import { isTier, selectTierModels } from '../../contract/agents/tiers.ts';
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
  const { modelPattern }: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
  const known = Object.values(selectTierModels(adapter, agents.tierModels));
  if (agents.modelVendors === null || modelPattern === null || isTier(model) || known.includes(model))
    return null;
  return modelPattern.test(model)
    ? null
    : `${model} is no model that ${kind} can run; name one of its provider's, a tier, or another adapter`;
}

/** Why no agent of this deployment can do a task, and what to set; empty when one can. An external agent brings its own. */
export function findAdapterProblems(
  request: TaskSubmission,
  agents: AvailableAgentClis,
): SubmissionProblem[] {
  const adapter = request.adapter ?? agents.defaultAdapter;
  const { kind } = adapter;
  if (request.runner === 'external' || kind === 'command') return [];
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
    ...problem('/model', model === undefined ? null : wrongModelReason(model, kind, adapter, agents)),
  ];
}
