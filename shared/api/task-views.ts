import type * as z from 'zod';
import { DEFAULT_TIER_MODELS, selectTierModels, type TierModels } from '../contract/agents/tiers.ts';
import type { Attempt } from '../contract/task/attempt.ts';
import { totalJudgingCost } from '../contract/task/judging-cost.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../contract/task/task.ts';
import { breakEvenPassRate, computeAttemptChainCosts } from '../control/cascade/chain-costs.ts';
import { summarizeVerification } from '../control/verdict/janitor-result.ts';
import { computeQualityScore } from '../control/verdict/quality-score.ts';
import { listVerdictInputs } from '../control/verdict/verdict-inputs.ts';
import type { AttemptList, AttemptView, TaskView } from './task-schemas.ts';

/** An attempt without what only the platform may know. */
export function attemptView(task: Task, attempt: Attempt): AttemptView {
  const { agent: _agent, gates: _gates, challenger: _challenger, deliver: _deliver, ...view } = attempt;
  return {
    ...view,
    judging_cost_usd: totalJudgingCost(attempt),
    inputs: listVerdictInputs(attempt),
    // Beside a verdict that fails or needs review, a grade would only contradict it.
    quality_score: attempt.verdict?.verdict === 'pass' ? computeQualityScore(attempt) : null,
    janitor_result: summarizeVerification(task, attempt),
  };
}

/** A task as the API shows it. */
export function taskView(task: Task, models: TierModels = DEFAULT_TIER_MODELS): TaskView {
  const {
    request_sha256: _sha,
    hidden_tests: _hidden,
    exam: _exam,
    expires_at: _ttl,
    attempts,
    run: _run,
    ...rest
  } = task;
  const attempt = currentAttempt(task);
  const judged = attempt && findJudgedAttempt(task, attempt);
  const runs = attempt !== null && attempt.outcome === null && attempt.report === null;
  const costs = computeAttemptChainCosts(attempts, selectTierModels(task.adapter, models));
  return {
    ...rest,
    attempt_count: attempts.length,
    model: attempt?.model ?? null,
    cost_usd: costs.total_cost_usd,
    judging_cost_usd: costs.judging_cost_usd,
    saved_vs_direct_opus_usd: costs.saved_vs_direct_opus_usd,
    verdict: judged?.verdict?.verdict ?? null,
    reasons: judged?.verdict?.reasons.map((reason) => reason.message) ?? [],
    branch: task.delivery?.state === 'delivered' ? task.delivery.branch : null,
    lease_until: runs ? attempt.lease_until : null,
    progress: runs ? (attempt.progress?.message ?? null) : null,
  };
}

/** The chain of a task. */
export function attemptListView(
  task: Task,
  deployed: TierModels = DEFAULT_TIER_MODELS,
): z.infer<typeof AttemptList> {
  const models = selectTierModels(task.adapter, deployed);
  const costs = computeAttemptChainCosts(task.attempts, models);
  return {
    task_id: task.id,
    attempts: task.attempts.map((attempt) => attemptView(task, attempt)),
    total_cost_usd: costs.total_cost_usd,
    judging_cost_usd: costs.judging_cost_usd,
    saved_vs_direct_opus_usd: costs.saved_vs_direct_opus_usd,
    break_even_pass_rate: breakEvenPassRate(models, task.created_at),
  };
}
