import type { ProviderName } from '../models/protocols.ts';
import type { Adapter, CliKind } from '../task/adapter.ts';
import type { Agents } from '../task/adapter-choice.ts';
import { ADAPTER_FACTS } from '../task/adapter-facts.ts';
import type { Attempt } from '../task/attempt.ts';
import type { Task } from '../task/task.ts';
import { wasTransient } from './failure/of-attempt.ts';
import { isTier } from './tiers.ts';

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
  const { attempts, adapter, model, effort, runner } = task;
  if (adapter !== undefined || runner !== 'managed' || (model !== undefined && !isTier(model))) return null;
  const round = attempts.filter(({ number }) => number >= task.budget_from);
  const down = round.slice(round.findLastIndex((attempt) => !wasDown(attempt)) + 1);
  const kinds = down.map((attempt) => kindOf(attempt, agents.fallback));
  const next = round.at(-1)?.adapter ?? (agents.fallback.kind === 'command' ? null : agents.fallback.kind);
  const isCold = next !== null && cooling.includes(ADAPTER_FACTS[next].vendor);
  const last = kinds.at(-1);
  if (!isCold && (!last || kinds.slice(-PATIENCE).filter((kind) => kind === last).length < PATIENCE))
    return null;
  const tried: ProviderName[] = kinds.flatMap((kind) => (kind === null ? [] : [ADAPTER_FACTS[kind].vendor]));
  if (next !== null) tried.push(ADAPTER_FACTS[next].vendor);
  const isFit = (kind: CliKind): boolean => {
    const { vendor, effort: knows, tiers } = ADAPTER_FACTS[kind];
    if (tiers === null || (effort !== undefined && !knows)) return false;
    if (tried.includes(vendor) || cooling.includes(vendor)) return false;
    return agents.vendors === null || agents.vendors.includes(vendor);
  };
  return (agents.clis ?? agents.installed ?? []).find(isFit) ?? null;
}

/** What an attempt runs with: its own where it took another way, else the task's; undefined: the deployment's. */
export const adapterOf = (
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  timeout_s = 1_800,
): Adapter | undefined => (attempt?.adapter ? { kind: attempt.adapter, timeout_s } : adapter);
