import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import type { ModelJudgedSignal } from '../../contract/submission/signals.ts';
import { judgementCost, sumUnlessUnknown } from '../../contract/task/judging-cost.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';
import type { AskReviewModel } from '../engine/ask-model-port.ts';
import { runSingleQuestionReviewer } from '../engine/engine.ts';
import { excerptDiffsEvenly, splitDiffByFile } from '../judging/diff-excerpt.ts';
import { type GoldenCase, goldenCasePieces } from '../judging/golden-cases.ts';
import {
  type AnsweredCase,
  type Calibration,
  type CaseAnswer,
  measureCalibration,
} from '../judging/judge-calibration.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { runRequirementsReview } from './requirements-review.ts';
import { getSignalReviewer } from './signal-reviewers.ts';

/** What can be measured: the questions that the janitor asks. */
export const CALIBRATED_JUDGE_QUESTIONS = ['requirements_review', 'llm_judge', 'llm_review'] as const;
export type CalibratedJudgeQuestion = (typeof CALIBRATED_JUDGE_QUESTIONS)[number];

/** Characters of a diff that a judge is shown, as in the janitor. */
const MAX_DIFF_CHARS = 10_000;
/** Questions at a time. */
const MAX_CONCURRENT_QUESTIONS = 4;

interface ReceiptedAnswer extends CaseAnswer {
  readonly spent: Pick<Judgement, 'calls' | 'tokens' | 'cost_usd'>;
}

/** The purpose that a question is asked for. */
const JUDGED_BY = {
  requirements_review: 'requirements_review',
  llm_judge: 'judge',
  llm_review: 'judge',
} as const;
const CALIBRATED_SIGNALS = {
  llm_judge: ({ criteria }: GoldenCase) => ({ type: 'llm_judge', criteria, on_error: 'hold' }),
  llm_review: ({ criteria }: GoldenCase) => ({
    type: 'llm_review',
    instructions: criteria,
    on_error: 'hold',
  }),
} as const satisfies Readonly<Record<string, (of: GoldenCase) => ModelJudgedSignal>>;

async function answerTo(
  of: GoldenCase,
  question: CalibratedJudgeQuestion,
  model: JudgeModel,
  { ask, now }: Pick<CalibrationOptions, 'ask' | 'now'>,
): Promise<ReceiptedAnswer> {
  const pieces = goldenCasePieces(of, excerptDiffsEvenly(splitDiffByFile(of.diff), MAX_DIFF_CHARS).text);
  const context = {
    ask,
    models: { [JUDGED_BY[question]]: model },
    writer: null,
    budgetRefusal: null,
    now: () => now,
  };
  const { outcome, confidence, ...spent } =
    question === 'requirements_review'
      ? await runRequirementsReview('', async () => ({ pieces }), context)
      : await runSingleQuestionReviewer(
          getSignalReviewer(CALIBRATED_SIGNALS[question](of)),
          { signal: CALIBRATED_SIGNALS[question](of) },
          () => ({ pieces }),
          context,
        );
  return { verdict: outcome === 'passed' ? 'good' : outcome === 'failed' ? 'bad' : null, confidence, spent };
}

export interface CalibrationReport extends Calibration {
  /** Names this measurement: the same judge on the same cases has the same name. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly rubric: CalibratedJudgeQuestion;
  readonly prompt_sha256: string;
  readonly golden_sha256: string;
  readonly repeats: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Null: the price of the model, or what a call used, is not known. */
  readonly cost_usd: number | null;
  readonly cost_per_answer_usd: number | null;
  /** Cases that most answers, or a part of them, had wrong. */
  readonly wrong: readonly {
    readonly id: string;
    readonly truth: string;
    readonly said: readonly (string | null)[];
  }[];
}

export interface CalibrationOptions {
  readonly model: JudgeModel;
  readonly question: CalibratedJudgeQuestion;
  /** How often each case is asked about. */
  readonly repeats: number;
  readonly ask: AskReviewModel;
  readonly now: Date;
  readonly onAnswer?: (done: number, all: number) => void;
}

/** Asks a model about cases with a known truth, and says how far it can be relied on. */
export async function calibrateJudge(
  cases: readonly GoldenCase[],
  { model, question, repeats, ask, now, onAnswer }: CalibrationOptions,
): Promise<CalibrationReport> {
  const answers = cases.map((): ReceiptedAnswer[] => []);
  const todo = Array.from({ length: repeats }, () => [...cases.entries()]).flat();
  let done = 0;
  await mapConcurrently(MAX_CONCURRENT_QUESTIONS, todo, async ([index, goldenCase]) => {
    answers[index]?.push(await answerTo(goldenCase, question, model, { ask, now }));
    onAnswer?.(++done, todo.length);
  });
  const measured = cases.map(
    ({ id, truth }, index): AnsweredCase => ({ id, truth, answers: answers[index] ?? [] }),
  );
  const spent = answers.flat().map((each) => each.spent);
  const cost = sumUnlessUnknown(spent.map(judgementCost));
  const result = measureCalibration(measured);
  const prompt_sha256 = JUDGE_PROMPTS[question].sha256;
  const golden_sha256 = canonicalHash(cases);
  const name = { provider: model.provider, model: model.model, prompt_sha256, golden_sha256, repeats };
  return {
    id: `cal-${canonicalHash({ ...name, result }).slice(0, 12)}`,
    ...name,
    rubric: question,
    ...result,
    tokens: {
      input: spent.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0),
      output: spent.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0),
    },
    cost_usd: cost,
    cost_per_answer_usd: cost === null || result.answers === 0 ? null : cost / result.answers,
    wrong: measured
      .filter(({ truth, answers: given }) => given.some(({ verdict }) => verdict !== truth))
      .map(({ id, truth, answers: given }) => ({ id, truth, said: given.map(({ verdict }) => verdict) })),
  };
}
