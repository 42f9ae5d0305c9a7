import type { Adapter, CliKind } from '../../contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../contract/agents/adapter-facts.ts';
import { isTier } from '../../contract/agents/tiers.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { Classified } from '../failures/classify.ts';
import { wasTransient } from '../failures/of-attempt.ts';
import type { Agents } from '../task-commands/adapter-choice.ts';

type Detoured = Pick<Task, 'adapter' | 'model' | 'effort' | 'runner' | 'attempts' | 'budget_from'>;

/** So many attempts in a row end at a provider that is down, before another one is tried: the first may be a hiccup. */
const PATIENCE = 2;

const wasDown = (attempt: Attempt): boolean => attempt.decision?.action === 'retry' && wasTransient(attempt);

/** Which CLI did an attempt; null: a command. */
export const kindOf = (attempt: Attempt, fallback: Adapter): CliKind | null =>
  attempt.adapter ?? (fallback.kind === 'command' ? null : fallback.kind);

/**
 * The agent of another provider, for the same tier, where a task's own provider was down for its last attempts; null: there is none, or no
 * reason: it was down twice in a row, or other tasks have met the same just now (`cooling`). Only where the deployment chose: a task that names its adapter or a model stays with it. Each is tried once in a row.
 */
export function otherAgent(
  task: Detoured,
  agents: Agents,
  cooling: readonly ProviderName[] = [],
): CliKind | null {
  const { attempts, effort } = task;
  if (!isFree(task)) return null;
  const round = attempts.filter(({ number }) => number >= task.budget_from);
  const down = round.slice(round.findLastIndex((attempt) => !wasDown(attempt)) + 1);
  const kinds = down.map((attempt) => kindOf(attempt, agents.fallback));
  const next = round.at(-1)?.adapter ?? (agents.fallback.kind === 'command' ? null : agents.fallback.kind);
  const isCold = next !== null && cooling.includes(ADAPTER_FACTS[next].vendor);
  const last = kinds.at(-1);
  if (!isCold && (!last || kinds.slice(-PATIENCE).filter((kind) => kind === last).length < PATIENCE))
    return null;
  return fitting(effort, agents, [...vendorsOf([...kinds, next]), ...cooling]);
}

const vendorsOf = (kinds: readonly (CliKind | null)[]): ProviderName[] =>
  kinds.flatMap((kind) => (kind === null ? [] : [ADAPTER_FACTS[kind].vendor]));

/** The first agent with models of all tiers, of none of these providers, that the deployment has access for; null: there is none. */
function fitting(effort: Task['effort'], agents: Agents, without: readonly ProviderName[]): CliKind | null {
  const isFit = (kind: CliKind): boolean => {
    const { vendor, effort: knows, tiers } = ADAPTER_FACTS[kind];
    if (tiers === null || (effort !== undefined && !knows) || without.includes(vendor)) return false;
    return agents.vendors === null || agents.vendors.includes(vendor);
  };
  return (agents.clis ?? agents.installed ?? []).find(isFit) ?? null;
}

/** Whether the deployment chose who does a task, and may choose another. */
const isFree = ({ adapter, model, runner }: Detoured): boolean =>
  adapter === undefined && runner === 'managed' && (model === undefined || isTier(model));

/**
 * Has an attempt met the limit of what may be spent with its provider? Not its own budget, which agents take for the same: where our gateway stands
 * between, only what that has seen of the provider counts.
 */
export const isSpent = ({ witnessed }: Pick<Attempt, 'witnessed'>, failure: Classified): boolean =>
  failure.class === 'provider_spend_limit' &&
  (!witnessed || witnessed.trouble?.class === 'provider_spend_limit');

/** The agent of a provider that no attempt of this round has met; null: there is none, or the task has chosen its own. */
export function elsewhere(task: Detoured, agents: Agents): CliKind | null {
  if (!isFree(task)) return null;
  const round = task.attempts.filter(({ number }) => number >= task.budget_from);
  const kinds = round.map((attempt) => kindOf(attempt, agents.fallback));
  // Of a command nobody knows whose models it calls.
  return kinds.includes(null) ? null : fitting(task.effort, agents, vendorsOf(kinds));
}

/** What an attempt runs with: its own where it took another way, else the task's; undefined: the deployment's. */
export const adapterOf = (
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  timeout_s = 1_800,
): Adapter | undefined => (attempt?.adapter ? { kind: attempt.adapter, timeout_s } : adapter);
