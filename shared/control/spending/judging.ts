import { MAX_PIPELINE_REVIEWERS } from '../../contract/judgement/review-pipeline.ts';
import { areShared, microOf, usdOf } from '../../contract/models/limits.ts';
import type { JudgeModel, JudgeModels } from '../../contract/models/models.ts';
import type { JudgedSignal } from '../../contract/submission/signals.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { costOf } from '../../reviews/judging/price.ts';
import { redTeamOf } from '../../reviews/review/red-team.ts';
import { visionOf } from '../../reviews/review/vision/vision.ts';
import type { CascadePolicy } from '../cascade/learning/policy.ts';
import { gradedBy } from '../workflow/gradings.ts';
import { taskRefusal } from './admit.ts';
import type { Estimated } from './estimate.ts';
import { judgingMark } from './marks.ts';
import type { SpendCounters } from './spend-counters.ts';

/** Tokens of what one question shows at the most, with our instructions: what is shown is cut to some 30,000 characters. */
const SHOWN = 12_000;
/** Tokens of what a question with pictures shows. */
const PICTURED = 40_000;
/** Tokens of the longest answers: of a judge, and of those whom a workflow has asked. */
const ANSWER = 1_024;
const LONG_ANSWER = 4_096;
/** An answer of another shape is asked for once more. Calls that end at the provider's error are not billed. */
const BILLED_CALLS = 2;
/** A second look, and both orders of what tests expect. */
const LOOKS = 3;

/** Who may be asked about work, as far as that is known before it is read. */
export interface MayAsk {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly signals: readonly JudgedSignal[];
  readonly looks: boolean;
  readonly reviews: boolean;
}

interface Questions {
  readonly model: JudgeModel;
  readonly times: number;
  readonly shown: number;
  readonly answer: number;
}

function questionsOf({ task, attempt, signals, looks, reviews }: MayAsk, models: JudgeModels): Questions[] {
  const questions: Questions[] = [];
  const add = (model: JudgeModel | undefined, times: number, answer: number, shown = SHOWN): void => {
    if (model && times > 0) questions.push({ model, times, shown, answer });
  };
  const nodes = gradedBy(task);
  add(models.judge, signals.length, ANSWER);
  add(models.second_look, looks ? LOOKS : 0, ANSWER);
  add(models.decomposer, nodes.filter(({ decomposer }) => decomposer === 'llm').length, LONG_ANSWER);
  add(models.rubric, nodes.filter(({ grader }) => grader === 'llm').length, LONG_ANSWER);
  add(models.red_team, redTeamOf(task) ? 1 : 0, LONG_ANSWER);
  add(models.vision, visionOf(task)?.verifier === 'llm_vision' ? 1 : 0, LONG_ANSWER, PICTURED);
  // Nobody reviews what they do not know the writer of. Who of them is asked how often, the base says: at the worst each is asked by all.
  if (reviews && attempt.model !== null)
    for (const model of models.review ?? []) add(model, MAX_PIPELINE_REVIEWERS, ANSWER);
  return questions;
}

/**
 * What judging an attempt may cost, by the prices of those who may be asked, for the longest questions and answers. Null: nobody would be
 * asked. A model without a price: nobody knows.
 */
export function judgingEstimate(
  may: MayAsk,
  models: JudgeModels,
  now: Date,
): Estimated | { readonly unknown: string } | null {
  let usd = 0;
  let asked = 0;
  for (const { model, times, shown, answer } of questionsOf(may, models)) {
    const one = costOf(model, { tokens: { input: shown, output: answer } }, now.toISOString());
    if (one === null) return { unknown: model.model };
    usd += one * times * BILLED_CALLS;
    asked += times;
  }
  if (asked === 0) return null;
  const micro = microOf(usd);
  const words = `up to ${usdOf(micro)}, by the price of the longest questions, ${asked} at the most`;
  return { expected: micro, high: micro, words };
}

/**
 * Sets aside what judging may cost, before anybody is asked, where nothing was set aside with the attempt: an outside agent's work, and
 * work that is put onto a branch that has moved, and each time that it is judged again. Null: it fits, or nothing is limited; else why nobody is asked. A repeat changes nothing.
 */
export async function judgingRefused(
  may: MayAsk,
  models: JudgeModels,
  { policy, spend }: { readonly policy: CascadePolicy; readonly spend: Pick<SpendCounters, 'reserve'> },
  now: Date,
): Promise<string | null> {
  const { task, attempt } = may;
  const { budgets } = policy;
  const times = attempt.asked?.times ?? 1;
  if (!budgets || (attempt.reserved && times === 1)) return null;
  const estimated = judgingEstimate(may, models, now);
  if (estimated === null) return null;
  if ('unknown' in estimated)
    return `there are budgets, and nobody knows what asking ${estimated.unknown} costs: it has no price`;
  const what = 'judging this work';
  // Whoever asks has said what it may cost: that is not to count twice.
  const { judging: _, ...before } = attempt;
  const earlier = task.attempts.map((each) => (each.number === before.number ? before : each));
  const own = taskRefusal({ ...task, attempts: earlier }, estimated, budgets, what);
  if (own !== null || !areShared(budgets)) return own;
  const mark = judgingMark(task.id, attempt.number, times);
  const launching = { attempt: mark, repository: task.repository, estimated, what };
  const answer = await spend.reserve(launching, budgets, now);
  return 'refused' in answer ? answer.refused : null;
}
