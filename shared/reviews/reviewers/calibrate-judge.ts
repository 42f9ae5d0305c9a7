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
/** Questions at a time, where the caller does not say. */
const DEFAULT_CONCURRENT_QUESTIONS = 4;

interface ReceiptedAnswer extends CaseAnswer {
  /** Reason for a missing verdict; null: there is one. */
  readonly missingReason: string | null;
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
  const { outcome, confidence, reasons, request_reason, ...spent } =
    question === 'requirements_review'
      ? await runRequirementsReview('', async () => ({ pieces }), context)
      : await runSingleQuestionReviewer(
          getSignalReviewer(CALIBRATED_SIGNALS[question](of)),
          { signal: CALIBRATED_SIGNALS[question](of) },
          () => ({ pieces }),
          context,
        );
  const verdict = outcome === 'passed' ? 'good' : outcome === 'failed' ? 'bad' : null;
  return {
    verdict,
    confidence,
    spent,
    missingReason: verdict === null ? (reasons[0] ?? request_reason) : null,
  };
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
  /** Cost of one case with all its repeats. */
  readonly cost_per_case_usd: number | null;
  /** Reasons for missing answers, most frequent first. */
  readonly unanswered_reasons: readonly { readonly reason: string; readonly count: number }[];
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
  /** Questions at a time; absent: 4. */
  readonly concurrency?: number;
  readonly onAnswer?: (done: number, all: number) => void;
}

function countReasons(answers: readonly ReceiptedAnswer[]): CalibrationReport['unanswered_reasons'] {
  const counts = new Map<string, number>();
  for (const { missingReason } of answers)
    if (missingReason !== null) counts.set(missingReason, (counts.get(missingReason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}

/** Asks a model about cases with a known truth, and says how far it can be relied on. */
export async function calibrateJudge(
  cases: readonly GoldenCase[],
  {
    model,
    question,
    repeats,
    ask,
    now,
    concurrency = DEFAULT_CONCURRENT_QUESTIONS,
    onAnswer,
  }: CalibrationOptions,
): Promise<CalibrationReport> {
  const answers = cases.map((): ReceiptedAnswer[] => []);
  const todo = Array.from({ length: repeats }, () => [...cases.entries()]).flat();
  let done = 0;
  await mapConcurrently(concurrency, todo, async ([index, goldenCase]) => {
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
    cost_per_case_usd: cost === null || cases.length === 0 ? null : cost / cases.length,
    unanswered_reasons: countReasons(answers.flat()),
    wrong: measured
      .filter(({ truth, answers: given }) => given.some(({ verdict }) => verdict !== truth))
      .map(({ id, truth, answers: given }) => ({ id, truth, said: given.map(({ verdict }) => verdict) })),
  };
}
