import { type AgentAdapterSettings, takesModel } from '../../contract/agents/adapter.ts';
import type { AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import type { ReasoningEffortLevel } from '../../contract/agents/effort.ts';
import { selectTierModels, type TierModels } from '../../contract/agents/tiers.ts';
import type { AttemptRouteDecision } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { routeTask } from '../routing/route-task.ts';
import { adviseNextTier, type TierAdviceInputs } from './learning/advise-tier.ts';
import { buildModelLadder, effortForLadderStep, type ModelLadderStep } from './learning/tier-ladder.ts';
import { resolveAttemptAdapter } from './provider-fallback.ts';

/** Which model the next attempt runs on, at what effort, and why. */
export interface NextAttemptModelSelection {
  readonly rung: ModelLadderStep;
  readonly effort: ReasoningEffortLevel;
  readonly route: AttemptRouteDecision;
  /** Another agent than the task's or the deployment's; null: that one. */
  readonly adapter: AgentCliKind | null;
}

/** Why this rung and not the one that the route names; empty where it is that one. */
function rungChangeReason(
  task: Task,
  rung: ModelLadderStep,
  planned: ModelLadderStep['tier'],
  first: ModelLadderStep,
): string {
  const last = task.attempts.at(-1);
  if (last && last.number >= task.first_budgeted_attempt && last.decision?.strategy)
    return `; ${last.decision.strategy.replace('_', ' ')} after attempt ${last.number}: ${truncateText(last.decision.reason, 200)}`;
  if (last && last.number >= task.first_budgeted_attempt)
    return last.decision?.action === 'escalate'
      ? `; climbed from ${last.tier ?? last.model ?? 'the last'}: ${truncateText(last.decision.reason, 200)}`
      : last.decision?.next_adapter
        ? `; after attempt ${last.number}: ${truncateText(last.decision.reason, 200)}`
        : `; again after attempt ${last.number}`;
  return rung === first && rung.tier !== planned && rung.tier !== null && task.model === undefined
    ? `; ${rung.tier} tries first, being cheaper`
    : '';
}

/** Returns whether nothing chooses a model for the task: its command has no `{model}`, and it names none itself. @param fallback the deployment's adapter */
export const isModelChosenByCommand = (
  { adapter, model }: Pick<Task, 'adapter' | 'model'>,
  fallback: AgentAdapterSettings | undefined,
): boolean => {
  const settings = adapter ?? fallback;
  return model === undefined && settings !== undefined && !takesModel(settings);
};

/** Effort and reason of an attempt for which no model is chosen. */
export function selectAttemptWithoutModel(task: Task): Pick<NextAttemptModelSelection, 'effort' | 'route'> {
  const { rule, effort } = routeTask(task);
  const last = task.attempts.at(-1);
  const again =
    last && last.number >= task.first_budgeted_attempt ? `; again after attempt ${last.number}` : '';
  return { effort, route: { rule, reason: `the command takes no model${again}` } };
}

/** The next attempt's model: what the last decision named, else (first attempt, lost box, expired lease) the same again or the first rung. */
export function selectNextAttemptModel(
  of: Task,
  models: TierModels,
  other: AgentCliKind | null = null,
  learned: TierAdviceInputs | null = null,
  home = false,
): NextAttemptModelSelection {
  const last = of.attempts.at(-1);
  const fresh = !last || last.number < of.first_budgeted_attempt;
  // The way back: what the fallback was for is over.
  const isBack = !other && !fresh && home && last.route.provider_fallback !== undefined;
  const stays = isBack ? null : (last?.adapter ?? null);
  const kind = other ?? (fresh ? null : (last.decision?.next_adapter ?? stays));
  const task = kind ? { ...of, adapter: resolveAttemptAdapter(of, { adapter: kind }) } : of;
  const rungs = buildModelLadder(task, models);
  const first = rungs[0] ?? { tier: null, model: models.haiku };
  // By tier: the model of a decision is another provider's.
  const tierThen = last?.decision?.next_tier ?? last?.tier;
  const sameTier =
    (other || isBack) && !fresh && rungs.find(({ tier }) => tier !== null && tier === tierThen);
  if (sameTier) {
    const { rule, reason } = routeTask(task);
    const why = other
      ? `${reason}; by ${other}, because the provider of ${last.model ?? 'the last agent'} is down`
      : `${reason}; back from ${last.adapter ?? 'another agent'}, because its own provider answers again`;
    return {
      rung: sameTier,
      effort: effortForLadderStep(task, sameTier),
      route: { rule, reason: why },
      adapter: kind,
    };
  }
  const wanted = fresh
    ? null
    : (last.decision?.next_model ??
      (last.outcome === 'infra_failed' || last.outcome === 'expired' ? last.model : null));
  const rung =
    wanted === null ? first : (rungs.find((each) => each.model === wanted) ?? { tier: null, model: wanted });
  const { rule, tier, reason } = routeTask(task);
  const climbs = !fresh && last.decision?.action === 'escalate';
  const candidates = fresh ? rungs : climbs && rungs.includes(rung) ? rungs.slice(rungs.indexOf(rung)) : [];
  const advice =
    learned && candidates.length > 0
      ? adviseNextTier(task, candidates, fresh, selectTierModels(task.adapter, models), learned)
      : null;
  if (advice)
    return {
      rung: advice.rung,
      effort: effortForLadderStep(task, advice.rung),
      route: {
        rule,
        reason: `${reason}${climbs ? rungChangeReason(task, rung, tier, first) : ''}${advice.reason}`,
        tier_choice: advice.choice,
      },
      adapter: kind,
    };
  return {
    rung,
    effort: (fresh ? undefined : last.decision?.next_effort) ?? effortForLadderStep(task, rung),
    route: { rule, reason: `${reason}${rungChangeReason(task, rung, tier, first)}` },
    adapter: kind,
  };
}
