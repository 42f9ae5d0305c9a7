import type { Adapter, CliKind } from '../../contract/agents/adapter.ts';
import { ADAPTER_FACTS, type AdapterFacts } from '../../contract/agents/adapter-facts.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import { isTier, tierModelsFor } from '../../contract/agents/tiers.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import { MODEL_KEYS } from '../../contract/names.ts';
import type { SubmitTask } from '../../contract/submission/schema.ts';

/** What a deployment has to run tasks with. */
export interface Agents {
  /** Runs a task that names none. */
  readonly fallback: Adapter;
  /** CLIs that the agent box has; null: whatever is installed, as on a laptop. */
  readonly clis: readonly CliKind[] | null;
  /** Of what is installed on a laptop: what another one's task may go to. Absent: `clis`. */
  readonly installed?: readonly CliKind[];
  /** Whose models the gateway has; null: a gateway of the user's own, of which nobody knows. */
  readonly vendors: readonly ProviderName[] | null;
  readonly tiers: TierModels;
}

export interface Problem {
  /** JSON Pointer in the request. */
  readonly pointer: string;
  readonly message: string;
}

function missingCli(kind: CliKind, { clis }: Agents): string | null {
  if (clis === null || clis.includes(kind)) return null;
  const wanted = JSON.stringify([...clis, kind]);
  return `the agent box of this deployment has ${[...clis, 'command'].join(', ')}; for ${kind}, deploy with -c assay:agentClis='${wanted}'`;
}

function missingModels(kind: CliKind, { vendors, clis }: Agents): string | null {
  const { vendor } = ADAPTER_FACTS[kind];
  if (vendors === null || vendors.includes(vendor)) return null;
  const remedy =
    clis === null
      ? `start assay up with ${MODEL_KEYS[vendor].key} in its environment`
      : `name who answers for ${vendor} in -c assay:models (docs/models.md), and deploy`;
  return `${kind} needs models of ${vendor}, which this deployment has no access to: ${remedy}, or choose another adapter`;
}

function wrongModel(model: string, kind: CliKind, adapter: Adapter, agents: Agents): string | null {
  const { models }: AdapterFacts = ADAPTER_FACTS[kind];
  const known = Object.values(tierModelsFor(adapter, agents.tiers));
  if (agents.vendors === null || models === null || isTier(model) || known.includes(model)) return null;
  return models.test(model)
    ? null
    : `${model} is no model that ${kind} can run; name one of its provider's, a tier, or another adapter`;
}

/** Why no agent of this deployment can do a task, and what to set; empty when one can. An external agent brings its own. */
export function adapterProblems(request: SubmitTask, agents: Agents): Problem[] {
  const adapter = request.adapter ?? agents.fallback;
  const { kind } = adapter;
  if (request.runner === 'external' || kind === 'command') return [];
  const { effort, model } = request;
  const problem = (pointer: string, message: string | null): Problem[] =>
    message === null ? [] : [{ pointer, message }];
  return [
    ...problem('/adapter', missingCli(kind, agents) ?? missingModels(kind, agents)),
    ...problem(
      '/effort',
      effort !== undefined && !ADAPTER_FACTS[kind].effort
        ? `${kind} knows no effort; leave it out, and choose a model instead`
        : null,
    ),
    ...problem('/model', model === undefined ? null : wrongModel(model, kind, adapter, agents)),
  ];
}
