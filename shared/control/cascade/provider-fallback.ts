import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import { isTier } from '../../contract/agents/tiers.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { hasTransientFailure } from '../failures/attempt-failure.ts';
import type { ClassifiedFailure } from '../failures/classify-failure.ts';
import type { AvailableAgentClis } from '../task-commands/adapter-problems.ts';

type FallbackTask = Pick<
  Task,
  'adapter' | 'model' | 'effort' | 'runner' | 'attempts' | 'first_budgeted_attempt'
>;

/** So many attempts in a row end at a provider that is down, before another one is tried: the first may be a hiccup. */
const FAILURES_BEFORE_FALLBACK = 2;

const wasRetriedAfterProviderFailure = (attempt: Attempt): boolean =>
  attempt.decision?.action === 'retry' && hasTransientFailure(attempt);

/** Which CLI did an attempt; null: a command. */
export const findAttemptAgentCli = (attempt: Attempt, fallback: AgentAdapterSettings): AgentCliKind | null =>
  attempt.adapter ?? (fallback.kind === 'command' ? null : fallback.kind);

/**
 * The agent of another provider, for the same tier, where a task's own provider was down for its last attempts; null: there is none, or no
 * reason: it was down twice in a row, or other tasks have met the same just now (`cooling`). Only where the deployment chose: a task that names its adapter or a model stays with it. Each is tried once in a row.
 */
export function selectFallbackAgent(
  task: FallbackTask,
  agents: AvailableAgentClis,
  cooling: readonly ProviderName[] = [],
): AgentCliKind | null {
  const { attempts, effort } = task;
  if (!canChooseAgent(task)) return null;
  const round = attempts.filter(({ number }) => number >= task.first_budgeted_attempt);
  const down = round.slice(round.findLastIndex((attempt) => !wasRetriedAfterProviderFailure(attempt)) + 1);
  const kinds = down.map((attempt) => findAttemptAgentCli(attempt, agents.defaultAdapter));
  const next =
    round.at(-1)?.adapter ?? (agents.defaultAdapter.kind === 'command' ? null : agents.defaultAdapter.kind);
  const isCold = next !== null && cooling.includes(AGENT_CLI_MANIFESTS[next].vendor);
  const last = kinds.at(-1);
  if (
    !isCold &&
    (!last ||
      kinds.slice(-FAILURES_BEFORE_FALLBACK).filter((kind) => kind === last).length <
        FAILURES_BEFORE_FALLBACK)
  )
    return null;
  return firstSuitableAgent(effort, agents, [...vendorsOf([...kinds, next]), ...cooling]);
}

const vendorsOf = (kinds: readonly (AgentCliKind | null)[]): ProviderName[] =>
  kinds.flatMap((kind) => (kind === null ? [] : [AGENT_CLI_MANIFESTS[kind].vendor]));

/** The first agent with models of all tiers, of none of these providers, that the deployment has access for; null: there is none. */
function firstSuitableAgent(
  effort: Task['effort'],
  agents: AvailableAgentClis,
  without: readonly ProviderName[],
): AgentCliKind | null {
  const isFit = (kind: AgentCliKind): boolean => {
    const { vendor, effortLevels, tiers } = AGENT_CLI_MANIFESTS[kind];
    if (tiers === null || (effort !== undefined && effortLevels === null) || without.includes(vendor))
      return false;
    return agents.modelVendors === null || agents.modelVendors.includes(vendor);
  };
  return (agents.containerClis ?? agents.installedClis ?? []).find(isFit) ?? null;
}

/** Whether the deployment chose who does a task, and may choose another. */
const canChooseAgent = ({ adapter, model, runner }: FallbackTask): boolean =>
  adapter === undefined && runner === 'managed' && (model === undefined || isTier(model));

/**
 * Has an attempt met the limit of what may be spent with its provider? Not its own budget, which agents take for the same: where our gateway stands
 * between, only what that has seen of the provider counts.
 */
export const hasReachedProviderSpendLimit = (
  { metered_usage: witnessed }: Pick<Attempt, 'metered_usage'>,
  failure: ClassifiedFailure,
): boolean =>
  failure.class === 'provider_spend_limit' &&
  (!witnessed || witnessed.provider_error?.code === 'provider_spend_limit');

/** The agent of a provider that no attempt of this round has met; null: there is none, or the task has chosen its own. */
export function selectUntriedAgent(task: FallbackTask, agents: AvailableAgentClis): AgentCliKind | null {
  if (!canChooseAgent(task)) return null;
  const round = task.attempts.filter(({ number }) => number >= task.first_budgeted_attempt);
  const kinds = round.map((attempt) => findAttemptAgentCli(attempt, agents.defaultAdapter));
  // Of a command nobody knows whose models it calls.
  return kinds.includes(null) ? null : firstSuitableAgent(task.effort, agents, vendorsOf(kinds));
}

/** What an attempt runs with: its own where it took another way, else the task's; undefined: the deployment's. */
export const resolveAttemptAdapter = (
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  timeout_s = 1_800,
): AgentAdapterSettings | undefined => (attempt?.adapter ? { kind: attempt.adapter, timeout_s } : adapter);
