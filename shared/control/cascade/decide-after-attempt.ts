import type { TierModels } from '../../contract/agents/tiers.ts';
import type { Attempt, CascadeDecision } from '../../contract/task/attempt.ts';
import { roundBudgetUsage } from '../../contract/task/attempt-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReviewDecisionReason } from '../../reviews/engine/decision-reason.ts';
import { opinionFixRefusal } from '../../reviews/judging/judging-budget.ts';
import { decidePlanDispatch } from '../coordination/plan-review.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import type { ClassifiedFailure } from '../failures/classify-failure.ts';
import { applyErrorActionOverrides } from '../failures/remedy-actions.ts';
import type { AvailableAgentClis } from '../task-commands/adapter-problems.ts';
import { regenerationLimitReason } from '../workflow/regeneration-limit.ts';
import { buildModelLadder, type ModelLadderStep } from './learning/tier-ladder.ts';
import {
  hasReachedProviderSpendLimit,
  resolveAttemptAdapter,
  selectUntriedAgent,
} from './provider-fallback.ts';
import { applyRepeatedFailureStrategy } from './repeated-failure.ts';

/** How much of the end of the agent's output is looked at, in characters. */
const LOW_CONFIDENCE_TAIL_CHARS = 2_000;

/**
 * Phrases with which an agent admits that it may not have done the work. A superset of the seed's vocabulary:
 * both apostrophes, nouns and participles, `TODO: escalate`. Word-bounded, case-insensitive, no nested repetition.
 */
const PHRASES: readonly string[] = [
  "(?:i'?m|i am) (?:not sure|unsure)",
  'i cannot determine',
  "i (?:can'?t|cannot) determine",
  "i (?:don'?t|do not) know",
  'this is beyond (?:my|the)',
  'i lack(?:ed)? (?:the |enough |sufficient )?context',
  'partial(?:ly)? (?:complete|completed|implementation|implemented|solution)',
  'unable to (?:fully |completely )?(?:complete|finish|implement)',
  "(?:couldn'?t|could not) (?:be |fully )?(?:complete|completed|finish)",
  'incomplete implementations?',
  'not (?:fully )?confident(?! ?-)',
  'needs? more (?:context|information|info)\\b',
  'left (?:as )?(?:a )?placeholders?',
  'todo: ?[^\\n]{0,80}escalat(?:e|ed|es|ing|ion)?',
];
const PATTERN = new RegExp(`(?<![\\w-])(?:${PHRASES.join('|')})(?![\\w])`, 'i');

/** The low-confidence phrase at the end of `output`, or null. */
export function lowConfidencePhrase(output: string): string | null {
  const tail = output.slice(-LOW_CONFIDENCE_TAIL_CHARS).replaceAll('\u2019', "'").replace(/\s+/g, ' ');
  return PATTERN.exec(tail)?.[0] ?? null;
}

type DecisionDraft = Omit<CascadeDecision, 'at'>;
const finalDecision = (action: 'accept' | 'refer' | 'give_up', reason: string): DecisionDraft => ({
  action,
  reason,
  next_model: null,
  next_tier: null,
});

/** The rung that an attempt ran on: by tier, else by model; -1 when it is on none (a model that the deployment no longer has). */
const rungIndex = (attempt: Attempt, rungs: readonly ModelLadderStep[]): number =>
  rungs.findIndex((rung) =>
    attempt.tier === null ? rung.model === attempt.model : rung.tier === attempt.tier,
  );

/**
 * Why a stronger model should try, or null: the seed's four triggers in the seed's order.
 * 1 hard failure with nothing to look at, 2 the janitor's verdict, 3 low confidence in the agent's last words, 4 the agent says it failed.
 */
export function findEscalationReason(attempt: Attempt): string | null {
  const said = attempt.report?.status === 'failed' ? 'failed' : 'completed';
  const output = `${attempt.report?.summary ?? ''}\n${attempt.report?.output_tail ?? ''}`.trim();
  if (said === 'failed' && !attempt.verdict && attempt.report?.output_tail.trim() === '')
    return 'task failed';
  if (attempt.verdict?.verdict === 'fail') return 'janitor verification failed';
  const phrase = lowConfidencePhrase(output);
  if (phrase !== null) return `low confidence: "${phrase}"`;
  if (said === 'failed') return 'explicit failure';
  return null;
}

/** Others build on it, so it has one attempt more. */
const isFoundation = ({ completion_signals, foundation }: Task): boolean =>
  foundation !== undefined ||
  completion_signals.some((signal) => signal.type === 'quality_gate' && signal.foundation);

/** Why no further attempt may start, or null. */
export function budgetExhaustedReason(task: Task): string | null {
  const { attempts: tried, usd: spent } = roundBudgetUsage(task);
  const most = task.budget.max_attempts + (isFoundation(task) ? 1 : 0);
  if (tried >= most) return `all ${most} attempts of the budget are used`;
  const limit = task.budget.max_cost_usd;
  if (limit !== undefined && spent >= limit) return `$${spent.toFixed(4)} of the $${limit} budget is spent`;
  return null;
}

function escalateOrGiveUp(task: Task, attempt: Attempt, reason: string, models: TierModels): DecisionDraft {
  // Whoever wrote it pushes again, and that is another task.
  if (task.runner === 'pull_request') return finalDecision('give_up', reason);
  const spent = budgetExhaustedReason(task);
  if (spent) return finalDecision('give_up', `${reason}; ${spent}`);
  // An outside agent, or a command that takes no model: there is no tier to climb.
  if (task.runner === 'external' || (attempt.model === null && !task.plan))
    return { action: 'retry', reason, next_model: null, next_tier: null };
  const rungs = buildModelLadder({ ...task, adapter: resolveAttemptAdapter(task, attempt) }, models);
  const above = rungs[rungIndex(attempt, rungs) + 1];
  // A plan that does not hold is planned again with what was wrong with it: there is no stronger planner.
  if (!above && task.plan)
    return { action: 'retry', reason, next_model: attempt.model, next_tier: attempt.tier };
  if (!above)
    return finalDecision(
      'give_up',
      `${reason}; ${attempt.tier ?? attempt.model ?? 'the model'} is the last of the cascade`,
    );
  return { action: 'escalate', reason, next_model: above.model, next_tier: above.tier };
}

/** Once more on the same tier, as an attempt of the budget. */
function retryOnSameTier(task: Task, attempt: Attempt, reason: string): DecisionDraft {
  const spent = budgetExhaustedReason(task);
  if (spent) return finalDecision('give_up', `${reason}; ${spent}`);
  return { action: 'retry', reason, next_model: attempt.model, next_tier: attempt.tier };
}

function retryExcused(task: Task, attempt: Attempt, reason: string): DecisionDraft {
  const spent = budgetExhaustedReason(task);
  if (spent) return finalDecision('give_up', `${reason}; ${spent}`);
  if (task.retries >= task.max_retries)
    return finalDecision('give_up', `${reason}; all ${task.max_retries} retries are used`);
  return { action: 'retry', reason, next_model: attempt.model, next_tier: attempt.tier };
}

/** Work that does not go together with what its target branch has become. */
function retryMerge(task: Task, attempt: Attempt): DecisionDraft {
  const reason = attempt.verdict
    ? 'passed, and fails on what the target branch has become'
    : (attempt.verification_failure?.message ?? attempt.report?.summary ?? 'does not merge');
  const spent = budgetExhaustedReason(task);
  if (spent) return finalDecision('give_up', `${reason}; ${spent}`);
  const to = task.runner === 'external' ? { model: null, tier: null } : attempt;
  return { action: 'retry', reason, next_model: to.model, next_tier: to.tier };
}

/** The same tier with another provider, where the limit of this one is spent: that money must be given first is true of this one only. Null: there is none. */
function retryWithOtherProvider(
  task: Task,
  attempt: Attempt,
  failure: ClassifiedFailure,
  models: TierModels,
  agents: AvailableAgentClis | undefined,
): DecisionDraft | null {
  if (
    !agents ||
    !hasReachedProviderSpendLimit(attempt, failure) ||
    attempt.tier === null ||
    budgetExhaustedReason(task)
  )
    return null;
  if (task.error_action_overrides?.[failure.class] === 'fail') return null;
  const next_adapter = selectUntriedAgent(task, agents);
  if (next_adapter === null) return null;
  const rung = buildModelLadder(
    { ...task, adapter: resolveAttemptAdapter(task, { adapter: next_adapter }) },
    models,
  ).find(({ tier }) => tier === attempt.tier);
  return rung
    ? {
        action: 'retry',
        reason: `${failure.code}; ${next_adapter} has another provider`,
        next_model: rung.model,
        next_tier: rung.tier,
        next_adapter,
      }
    : null;
}

/** What a failure itself decides; null: what was left and said does. */
function decideAfterFailure(
  task: Task,
  attempt: Attempt,
  failure: ClassifiedFailure,
  models: TierModels,
  agents: AvailableAgentClis | undefined,
): DecisionDraft | null {
  const { remedy, code } = failure;
  switch (remedy) {
    case 'excused':
    case 'later':
      return retryExcused(task, attempt, code);
    case 'again':
    case 'same_tier':
      return retryOnSameTier(task, attempt, code);
    case 'end':
      return retryWithOtherProvider(task, attempt, failure, models, agents) ?? finalDecision('give_up', code);
    case 'stronger_tier':
      return escalateOrGiveUp(task, attempt, code, models);
    case 'judge':
      return null;
  }
}

/**
 * What happens after an attempt: a pure function of the task. Only failed work climbs; what could not run is repeated on the same
 * tier, goes to a person, or ends the task, because no model mends a missing tool. What has failed in the same way before is done
 * otherwise. @param agents what else may do it; absent: nothing.
 */
export function decideNextCascadeAction(
  task: Task,
  models: TierModels,
  agents?: AvailableAgentClis,
): DecisionDraft {
  const wanted = decideByRules(task, models, agents);
  const attempt = task.attempts.at(-1);
  return attempt ? applyRepeatedFailureStrategy(task, attempt, wanted, models, agents) : wanted;
}

function decideByRules(
  task: Task,
  models: TierModels,
  agents: AvailableAgentClis | undefined,
): DecisionDraft {
  const attempt = task.attempts.at(-1);
  if (!attempt) return { action: 'retry', reason: 'first attempt', next_model: null, next_tier: null };
  if (task.review?.tree === attempt.artifact?.tree && task.review) {
    if (task.review.decision === 'approve')
      return finalDecision('accept', `approved by ${task.review.by}: ${task.review.reason}`);
    return escalateOrGiveUp(task, attempt, `rejected by ${task.review.by}: ${task.review.reason}`, models);
  }
  // Its model has done what it was asked for: others were quicker. It does it again on what they have left.
  if (attempt.merge && attempt.verdict?.verdict !== 'pass' && attempt.verdict?.verdict !== 'refer')
    return retryMerge(task, attempt);
  const told = classifyAttemptFailure(attempt);
  const failure = told && applyErrorActionOverrides(told, task.error_action_overrides);
  const follows = failure && decideAfterFailure(task, attempt, failure, models, agents);
  if (follows) return follows;
  const trigger = findEscalationReason(attempt);
  const verdict = attempt.verdict?.verdict ?? null;
  if (verdict === 'refer')
    return finalDecision(
      'refer',
      attempt.verdict?.reasons.map((reason) => reason.message).join('; ') || 'the evidence is not conclusive',
    );
  if (task.plan && verdict === 'pass') {
    const { gateReason, context } = decidePlanDispatch(task);
    return gateReason === null
      ? finalDecision(
          'accept',
          `the plan holds; its tasks are made at once, at autonomy ${context.autonomy ?? 'of nobody'}`,
        )
      : finalDecision('refer', 'the plan holds; its tasks are made once a person says so');
  }
  const fixes = opinionFixRefusal(task.attempts);
  const pleased =
    verdict === 'fail'
      ? (regenerationLimitReason(task) ?? (fixes && describeReviewDecisionReason(fixes)))
      : null;
  if (pleased !== null) return finalDecision('refer', pleased);
  if (trigger !== null) {
    const decision = escalateOrGiveUp(task, attempt, trigger, models);
    // Evidence outweighs words: passed work of the last tier is accepted even when the agent sounded unsure.
    return decision.action === 'give_up' && verdict === 'pass'
      ? finalDecision('accept', `verdict pass, although ${trigger}`)
      : decision;
  }
  if (verdict === 'pass')
    return finalDecision('accept', attempt.verdict?.verified ? 'verdict pass' : 'completed unverified');
  return escalateOrGiveUp(task, attempt, attempt.verification_failure?.message ?? 'no verdict', models);
}
