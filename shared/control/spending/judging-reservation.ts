import { MAX_PIPELINE_REVIEWERS } from '../../contract/judgement/review-pipeline-schema.ts';
import { formatMicroUsd, hasBudgetsBeyondTask, toMicroUsd } from '../../contract/models/budgets.ts';
import { type JudgeModels, modelsForPurpose } from '../../contract/models/judge-models.ts';
import type { ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { computeJudgeCallCostUsd } from '../../reviews/engine/ask-cost.ts';
import type { ModelReviewer } from '../../reviews/engine/reviewer.ts';
import { CRITERIA_DECOMPOSITION_REVIEWER } from '../../reviews/reviewers/criteria-decomposition.ts';
import { RED_TEAM_REVIEWER, redTeamSettings } from '../../reviews/reviewers/red-team.ts';
import {
  REQUIREMENTS_REVIEWER,
  TASK_DECOMPOSITION_REVIEWER,
} from '../../reviews/reviewers/requirements-review.ts';
import { PIPELINE_STAGE_REVIEWER_DEFINITION } from '../../reviews/reviewers/review-pipeline.ts';
import { RUBRIC_GRADING_REVIEWER } from '../../reviews/reviewers/rubric-grading.ts';
import { getSignalReviewer } from '../../reviews/reviewers/signal-reviewers.ts';
import { TEST_EXPECTATION_REVIEWER } from '../../reviews/reviewers/test-expectations.ts';
import { findVisionSettings, VISION_REVIEWER } from '../../reviews/reviewers/vision.ts';
import { listRubricGradedWorkflowNodes } from '../../reviews/rubric/grading.ts';
import type { TierPolicySettings } from '../cascade/learning/cascade-policy.ts';
import type { CostEstimate } from './cost-estimate.ts';
import { judgingReservationId } from './reservations.ts';
import type { SpendCounters } from './spend-counters.ts';
import { findTaskBudgetRefusalReason } from './task-budget.ts';

/** Tokens of what one question shows at the most, with our instructions: what is shown is cut to some 30,000 characters. */
const MAX_MATERIAL_TOKENS = 12_000;
/** Tokens of what a question with pictures shows. */
const MAX_PICTURE_TOKENS = 40_000;
/** An answer of another shape is asked for once more. Calls that end at the provider's error are not billed. */
const MAX_BILLED_CALLS = 2;

/** Who may be asked about work, as far as that is known before it is read. */
export interface JudgingScope {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly signals: readonly ModelJudgedSignal[];
  readonly hasRequirementsReview: boolean;
  readonly hasReviewPipeline: boolean;
}

type Asked = Pick<ModelReviewer<never, never>, 'purpose' | 'maxTokens' | 'maxInputTokens' | 'shows'>;

/** The reviewers that may be asked, each with how often. */
function planQuestions(
  { task, attempt, signals, hasRequirementsReview, hasReviewPipeline }: JudgingScope,
  models: Pick<JudgeModels, 'decomposer'>,
): readonly (readonly [reviewer: Asked, times: number])[] {
  const nodes = listRubricGradedWorkflowNodes(task);
  return [
    ...signals.map((signal) => [getSignalReviewer(signal), 1] as const),
    [REQUIREMENTS_REVIEWER, hasRequirementsReview ? 1 : 0],
    [
      { ...TASK_DECOMPOSITION_REVIEWER, purpose: models.decomposer ? 'decomposer' : 'requirements_review' },
      hasRequirementsReview ? 1 : 0,
    ],
    // In both orders.
    [TEST_EXPECTATION_REVIEWER, hasRequirementsReview ? 2 : 0],
    [CRITERIA_DECOMPOSITION_REVIEWER, nodes.filter(({ decomposer }) => decomposer === 'llm').length],
    [RUBRIC_GRADING_REVIEWER, nodes.filter(({ grader }) => grader === 'llm').length],
    [RED_TEAM_REVIEWER, redTeamSettings(task) ? 1 : 0],
    [VISION_REVIEWER, findVisionSettings(task)?.verifier === 'llm_vision' ? 1 : 0],
    // The base says which model is asked how often: at the worst all reviewers ask each.
    [
      PIPELINE_STAGE_REVIEWER_DEFINITION,
      hasReviewPipeline && attempt.model !== null ? MAX_PIPELINE_REVIEWERS : 0,
    ],
  ];
}

/**
 * What judging an attempt may cost, by the prices of those who may be asked, for the longest questions and answers. Null: nobody would be
 * asked. A model without a price: nobody knows.
 */
export function estimateJudgingCost(
  may: JudgingScope,
  models: JudgeModels,
  now: Date,
): CostEstimate | { readonly unknown: string } | null {
  let usd = 0;
  let asked = 0;
  for (const [{ purpose, maxTokens: output, maxInputTokens, shows }, times] of planQuestions(may, models)) {
    const input = maxInputTokens ?? (shows.includes('pictures') ? MAX_PICTURE_TOKENS : MAX_MATERIAL_TOKENS);
    for (const model of times === 0 ? [] : modelsForPurpose(models, purpose)) {
      const one = computeJudgeCallCostUsd(model, { tokens: { input, output } }, now.toISOString());
      if (one === null) return { unknown: model.model };
      usd += one * times * MAX_BILLED_CALLS;
      asked += times;
    }
  }
  if (asked === 0) return null;
  const micro = toMicroUsd(usd);
  const words = `up to ${formatMicroUsd(micro)}, by the price of the longest questions, ${asked} at the most`;
  return { expectedMicro: micro, highMicro: micro, description: words };
}

/**
 * Sets aside what judging may cost, before anybody is asked, where nothing was set aside with the attempt: an outside agent's work, and
 * work that is put onto a branch that has moved, and each time that it is judged again. Null: it fits, or nothing is limited; else why nobody is asked. A repeat changes nothing.
 */
export async function reserveJudgingOrRefusal(
  may: JudgingScope,
  models: JudgeModels,
  { policy, spend }: { readonly policy: TierPolicySettings; readonly spend: Pick<SpendCounters, 'reserve'> },
  now: Date,
): Promise<string | null> {
  const { task, attempt } = may;
  const { budgets } = policy;
  const times = attempt.judging_rounds?.count ?? 1;
  if (!budgets || (attempt.reservation && times === 1)) return null;
  const estimated = estimateJudgingCost(may, models, now);
  if (estimated === null) return null;
  if ('unknown' in estimated)
    return `there are budgets, and nobody knows what asking ${estimated.unknown} costs: it has no price`;
  const what = 'judging this work';
  // Whoever asks has said what it may cost: that is not to count twice.
  const { judging_claim: _, ...before } = attempt;
  const earlier = task.attempts.map((each) => (each.number === before.number ? before : each));
  const own = findTaskBudgetRefusalReason({ ...task, attempts: earlier }, estimated, budgets, what);
  if (own !== null || !hasBudgetsBeyondTask(budgets)) return own;
  const mark = judgingReservationId(task.id, attempt.number, times);
  const launching = { reservationId: mark, repository: task.repository, estimate: estimated, purpose: what };
  const answer = await spend.reserve(launching, budgets, now);
  return 'refused' in answer ? answer.refused : null;
}
