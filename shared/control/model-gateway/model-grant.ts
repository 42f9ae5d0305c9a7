import { isSameHash, type ModelCallingLaunchKind } from '../../contract/access/tokens.ts';
import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import { selectTierModels, TIERS, type TierModels } from '../../contract/agents/tiers.ts';
import type { GatesModelRoute } from '../../contract/models/gates-models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { computeAttemptCost } from '../../contract/task/attempt-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import { determineLaunchTokenAccess } from '../../contract/task/token-access.ts';
import { resolveAttemptAdapter } from '../cascade/provider-fallback.ts';
import { resolveBuiltinRole } from '../roles/defaults.ts';

/** What a model token is good for. */
export interface ModelTokenGrant {
  readonly taskId: string;
  readonly attempt: number;
  /** Whose calls they are; each box has a meter of its own. */
  readonly caller: ModelCallingLaunchKind;
  /** Models that may be called. */
  readonly models: readonly string[];
  /** What the attempt may spend in all, in millionths of a dollar. */
  readonly limitMicro: number;
  /** The limit is the task's own, and so has to hold. */
  readonly hasTaskLimit: boolean;
  /** Who answers, where that is not a provider of the gateway's own. */
  readonly gatesModels?: readonly GatesModelRoute[];
}

/** The attempt's model, and the cheaper tiers below its own: CLIs use a small model for small things beside the work. */
export function allowedModels(
  attempt: Pick<Attempt, 'model' | 'tier'>,
  adapter: AgentAdapterSettings | undefined,
  deployed: TierModels,
): readonly string[] {
  const tiers = selectTierModels(adapter, deployed);
  // A command that takes no model may ask for those of all tiers.
  if (attempt.model === null) return [...new Set(Object.values(tiers))];
  const at = (TIERS as readonly (string | null)[]).indexOf(attempt.tier);
  return [...new Set([attempt.model, ...TIERS.slice(0, Math.max(0, at)).map((tier) => tiers[tier])])];
}

/** What is left of the task's budget for its current attempt, in dollars; null without a limit. Unknown costs count as nothing. */
export function remainingBudgetUsd(
  task: Pick<Task, 'attempts' | 'budget' | 'first_budgeted_attempt'>,
): number | null {
  const limit = task.budget.max_cost_usd;
  if (limit === undefined) return null;
  const earlier = task.attempts.slice(0, -1).filter(({ number }) => number >= task.first_budgeted_attempt);
  return Math.max(0, limit - earlier.reduce((sum, attempt) => sum + computeAttemptCost(attempt).usd, 0));
}

/** What is left of the task's budget for the gates of its current attempt; null without a limit. */
function remainingGatesBudgetUsd(
  task: Pick<Task, 'attempts' | 'budget' | 'first_budgeted_attempt'>,
  attempt: Attempt,
): number | null {
  const left = remainingBudgetUsd(task);
  // What the gates spend is counted by the meter that has this limit.
  return left === null
    ? null
    : Math.max(0, left - computeAttemptCost({ ...attempt, gates_metered_usage: undefined }).usd);
}

/** What the token with this hash may do now; null once its attempt has reported, has ended or has lost its lease. */
export function agentModelGrant(
  task: Task,
  number: number,
  tokenHash: string,
  options: { readonly tiers: TierModels; readonly maxAttemptUsd: number; readonly now: Date },
): ModelTokenGrant | null {
  const attempt = task.attempts.at(-1);
  const hash = attempt?.agent?.model_token_sha256;
  if (!attempt || attempt.number !== number || !hash || !isSameHash(hash, tokenHash)) return null;
  const holder = { caller: 'agent', attempt: number, launch: attempt.agent?.number ?? 0 } as const;
  if (
    determineLaunchTokenAccess(task, holder) !== 'live' ||
    attempt.lease_until * 1_000 < options.now.getTime()
  )
    return null;
  const left = remainingBudgetUsd(task);
  const role = task.resolved_role ?? resolveBuiltinRole(task.role);
  const most = Math.min(options.maxAttemptUsd, role.max_cost_usd ?? options.maxAttemptUsd);
  return {
    taskId: task.id,
    attempt: number,
    caller: 'agent',
    models: allowedModels(attempt, resolveAttemptAdapter(task, attempt), options.tiers),
    limitMicro: Math.floor(Math.min(left ?? most, most) * 1e6),
    hasTaskLimit: left !== null,
  };
}

/** Most dollars that the gates of one attempt may spend on opinions, within what is left of the task's budget. */
export const MAX_GATES_MODEL_USD = 2;

/** What the token of a gates box may do now; null once that box has reported, is lost or has ended with its attempt. */
export function gatesModelGrant(
  task: Task,
  number: number,
  tokenHash: string,
  models: readonly GatesModelRoute[],
): ModelTokenGrant | null {
  const judged = task.attempts.find((attempt) => attempt.number === number);
  const launch = judged?.gates;
  const hash = launch?.model_token_sha256;
  if (!judged || !launch || !hash || !isSameHash(hash, tokenHash)) return null;
  if (
    determineLaunchTokenAccess(task, { caller: 'gates', attempt: number, launch: launch.number }) !== 'live'
  )
    return null;
  const left = remainingGatesBudgetUsd(task, judged);
  return {
    taskId: task.id,
    attempt: number,
    caller: 'gates',
    models: [...new Set(models.map(({ model }) => model))],
    limitMicro: Math.floor(Math.min(left ?? MAX_GATES_MODEL_USD, MAX_GATES_MODEL_USD) * 1e6),
    hasTaskLimit: left !== null,
    gatesModels: models,
  };
}

/** Share of a challenge's budget that only the adjudicator may spend: without it, nothing that the CLI hands in is decided. */
const ADJUDICATOR_SHARE = 0.2;

/**
 * Returns what a call of a model may take of the budget in all. A model that is both that of the CLI and the adjudicator's may take all
 * of it, because its calls cannot be told apart.
 */
export function limitForModel({ limitMicro, gatesModels = [] }: ModelTokenGrant, model: string): number {
  const routes = gatesModels.filter((each) => each.model === model);
  const isCliOnly = routes.length > 0 && routes.every(({ isCalledByCli }) => isCalledByCli);
  const hasAdjudicator = gatesModels.some(({ isCalledByCli }) => !isCalledByCli);
  return isCliOnly && hasAdjudicator ? Math.floor(limitMicro * (1 - ADJUDICATOR_SHARE)) : limitMicro;
}

/** What the token of a challenger may do now; null once it has reported, is lost or has ended with its attempt. */
export function challengerModelGrant(
  task: Task,
  number: number,
  tokenHash: string,
  models: readonly GatesModelRoute[],
): ModelTokenGrant | null {
  const attempt = task.attempts.find((each) => each.number === number);
  const { challenger: launch, challenge } = attempt ?? {};
  const hash = launch?.model_token_sha256;
  if (!attempt || !challenge || !launch || !hash || !isSameHash(hash, tokenHash)) return null;
  const holder = { caller: 'challenger', attempt: number, launch: launch.number } as const;
  if (determineLaunchTokenAccess(task, holder) !== 'live') return null;
  const left = remainingBudgetUsd(task);
  const { metered_usage: _, ...unmetered } = challenge;
  const spent = computeAttemptCost({ ...attempt, challenge: unmetered }).usd;
  const leftMicro = left === null ? null : Math.floor(Math.max(0, left - spent) * 1e6);
  return {
    taskId: task.id,
    attempt: number,
    caller: 'challenger',
    models: [...new Set(models.map(({ model }) => model))],
    limitMicro: Math.min(leftMicro ?? challenge.budget_micro_usd, challenge.budget_micro_usd),
    hasTaskLimit: left !== null,
    gatesModels: models,
  };
}
