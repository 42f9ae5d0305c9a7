import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import { isTier, type TierModels } from '../../contract/agents/tiers.ts';
import { isRemedyOutsideAttemptBudget } from '../../contract/failure/failure-classes.ts';
import type { Attempt, CascadeDecision, RepeatedFailureStrategy } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import type { ClassifiedFailure } from '../failures/classify-failure.ts';
import { buildFailureClassification } from '../failures/failure-classification.ts';
import type { AvailableAgentClis } from '../task-commands/adapter-problems.ts';
import { buildModelLadder, type ModelLadderStep } from './learning/tier-ladder.ts';
import { findAttemptAgentCli, resolveAttemptAdapter } from './provider-fallback.ts';

type DecisionDraft = Omit<CascadeDecision, 'at'>;

/** Returns whether a command that takes no model ran: another attempt runs the same again. */
const isRunWithoutModel = ({ runner }: Task, { model }: Attempt): boolean =>
  runner === 'managed' && model === null;

/** Attempts of this round that failed in the same way as this one; none where nobody can tell. */
export function findRepeatedFailures(task: Task, attempt: Attempt): Attempt[] {
  const { signature: fingerprint, code } = buildFailureClassification({
    ...attempt,
    outcome: attempt.outcome ?? 'failed',
  });
  const earlier = task.attempts.filter(
    ({ number }) => number >= task.first_budgeted_attempt && number < attempt.number,
  );
  if (fingerprint !== undefined) return earlier.filter(({ failure }) => failure?.signature === fingerprint);
  if (!isRunWithoutModel(task, attempt)) return [];
  // A command that ends twice in the same way and without a word has crashed in the same way.
  const { exit_code, signal } = attempt.report?.exit ?? {};
  if (exit_code === undefined && signal === undefined) return [];
  return earlier.filter(
    ({ failure, report }) =>
      failure?.code === code && report?.exit?.exit_code === exit_code && report?.exit?.signal === signal,
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

/** A provider that refuses a request as malformed refuses the same request from any tier. */
const REJECTED_REQUEST_STATUSES: readonly (number | undefined)[] = [400, 422];

/** Returns whether an agent was stopped for its time without having called a model or said a word, as far as is known. */
const hasHung = ({ metered_usage, usage, report }: Attempt, { code }: ClassifiedFailure): boolean =>
  code === 'timeout' && !metered_usage?.calls && usage === null && report?.output_tail.trim() === '';

/** Returns whether no other way of running the agent can help against a failure that has come before. */
function isRepeatFutile(task: Task, attempt: Attempt, failure: ClassifiedFailure | null): boolean {
  if (failure === null) return false;
  if (isRunWithoutModel(task, attempt) && failure.remedy !== 'same_tier') return true;
  if (hasHung(attempt, failure)) return true;
  return (
    failure.code !== 'context_too_long' &&
    REJECTED_REQUEST_STATUSES.includes(attempt.report?.exit?.http_status)
  );
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
  const isCrashOfCommand = failure?.code === 'agent_crashed' && isRunWithoutModel(task, attempt);
  if (
    (failure && isRemedyOutsideAttemptBudget(failure.remedy) && !isCrashOfCommand) ||
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
  // Where there is work, a reviewer can decide; else the end of the task reports the failure. A command without a model is its own last tier.
  const isReviewable =
    attempt.artifact !== null && attempt.verdict !== null && !task.plan && !isRunWithoutModel(task, attempt);
  const end = next('person', {
    action: isReviewable ? 'refer' : 'give_up',
    next_model: null,
    next_tier: null,
  });
  // The platform refuses work with this remedy from any model.
  if (failure?.remedy === 'same_tier' || isRepeatFutile(task, attempt, failure)) return end;
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
  return tried.has('smaller_task')
    ? end
    : next('smaller_task', isOurs ? { next_effort: attempt.effort } : {});
}
