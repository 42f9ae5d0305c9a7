import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import { isTier, type TierModels } from '../../contract/agents/tiers.ts';
import { isRemedyOutsideAttemptBudget } from '../../contract/failure/failure-classes.ts';
import type { Attempt, CascadeDecision, RepeatedFailureStrategy } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { buildFailureClassification } from '../failures/failure-classification.ts';
import type { AvailableAgentClis } from '../task-commands/adapter-problems.ts';
import { buildModelLadder, type ModelLadderStep } from './learning/tier-ladder.ts';
import { findAttemptAgentCli, resolveAttemptAdapter } from './provider-fallback.ts';

type DecisionDraft = Omit<CascadeDecision, 'at'>;

/** Attempts of this round that failed in the same way as this one; none where nobody can tell. */
export function findRepeatedFailures(task: Task, attempt: Attempt): Attempt[] {
  const { signature: fingerprint } = buildFailureClassification({
    ...attempt,
    outcome: attempt.outcome ?? 'failed',
  });
  if (fingerprint === undefined) return [];
  return task.attempts.filter(
    ({ number, failure }) =>
      number >= task.first_budgeted_attempt && number < attempt.number && failure?.signature === fingerprint,
  );
}

/** The CLI of a vendor that has not tried in this round, where the deployment chose the agent; null: there is none. */
function untriedAdapter(task: Task, agents: AvailableAgentClis | undefined): AgentCliKind | null {
  const { adapter, model, runner, effort } = task;
  if (!agents || adapter !== undefined || runner !== 'managed' || (model !== undefined && !isTier(model)))
    return null;
  const tried = task.attempts
    .filter(({ number }) => number >= task.first_budgeted_attempt)
    .map((attempt) => findAttemptAgentCli(attempt, agents.defaultAdapter));
  // A command is nobody's: what else there is cannot be told to be another.
  if (tried.includes(null)) return null;
  const vendors = tried.flatMap((kind) => (kind === null ? [] : [AGENT_CLI_MANIFESTS[kind].vendor]));
  const isFit = (kind: AgentCliKind): boolean => {
    const facts = AGENT_CLI_MANIFESTS[kind];
    return (
      facts.tiers !== null &&
      (effort === undefined || facts.effortLevels !== null) &&
      !vendors.includes(facts.vendor) &&
      (agents.modelVendors === null || agents.modelVendors.includes(facts.vendor))
    );
  };
  return agents.containerClis?.find(isFit) ?? null;
}

const ladderForAttempt = (
  task: Task,
  attempt: Pick<Attempt, 'adapter'>,
  models: TierModels,
): readonly ModelLadderStep[] =>
  buildModelLadder({ ...task, adapter: resolveAttemptAdapter(task, attempt) }, models);

/** The rung to climb to: the next, or the last where two tiers have failed in the same way. */
function higherRung(
  task: Task,
  attempt: Attempt,
  same: readonly Attempt[],
  models: TierModels,
): ModelLadderStep | null {
  if (task.runner !== 'managed' || attempt.tier === null) return null;
  const rungs = ladderForAttempt(task, attempt, models);
  const at = rungs.findIndex(({ tier }) => tier === attempt.tier);
  const climbed = same.some(({ tier }) => tier !== attempt.tier);
  return (at < 0 ? null : climbed ? rungs.slice(at + 1).at(-1) : rungs[at + 1]) ?? null;
}

/**
 * What is done in place of the same again, when the same failure has come before. Only what would start another attempt is changed: what
 * ends the task, or is a person's already, stays, and so does what is nobody's fault. The budget has been asked.
 */
export function applyRepeatedFailureStrategy(
  task: Task,
  attempt: Attempt,
  wanted: DecisionDraft,
  models: TierModels,
  agents: AvailableAgentClis | undefined,
): DecisionDraft {
  if (attempt.merge || (wanted.action !== 'retry' && wanted.action !== 'escalate')) return wanted;
  const failure = classifyAttemptFailure(attempt);
  if (
    (failure && isRemedyOutsideAttemptBudget(failure.remedy)) ||
    attempt.verdict?.verdict === 'pass' ||
    task.review
  )
    return wanted;
  const same = findRepeatedFailures(task, attempt);
  if (same.length === 0) return wanted;
  const tried = new Set(same.flatMap(({ decision }) => decision?.strategy ?? []));
  const because = `${wanted.reason}; the same failure as attempt ${same.at(-1)?.number}`;
  const next = (strategy: RepeatedFailureStrategy, to: Partial<DecisionDraft>): DecisionDraft => ({
    action: 'retry',
    next_model: attempt.model,
    next_tier: attempt.tier,
    ...to,
    strategy,
    reason: because,
  });
  // A refusal of ours that was not heeded: no other agent or model is asked to be refused the same.
  if (failure?.code === 'work_not_deliverable')
    return next('person', { action: 'give_up', next_model: null, next_tier: null });
  const other = untriedAdapter(task, agents);
  if (other && attempt.tier !== null) {
    const rung = ladderForAttempt(task, { adapter: other }, models).find(({ tier }) => tier === attempt.tier);
    if (rung) return next('other_adapter', { next_model: rung.model, next_adapter: other });
  }
  const above = higherRung(task, attempt, same, models);
  if (above)
    return next('stronger_tier', { action: 'escalate', next_model: above.model, next_tier: above.tier });
  const isOurs = task.runner === 'managed' && task.effort === undefined && attempt.tier !== null;
  if (isOurs && attempt.effort !== 'max' && !tried.has('higher_effort'))
    return next('higher_effort', { next_effort: 'max' });
  if (!tried.has('smaller_task')) return next('smaller_task', isOurs ? { next_effort: attempt.effort } : {});
  // Where there is work, a person can say what becomes of it; else the end of the task is what tells them.
  const judged = attempt.artifact !== null && attempt.verdict !== null && !task.plan;
  return next('person', { action: judged ? 'refer' : 'give_up', next_model: null, next_tier: null });
}
