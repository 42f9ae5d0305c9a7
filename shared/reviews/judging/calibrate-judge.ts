import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { sumOrNull } from '../../contract/task/judging-cost.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';
import { askCostUsd } from '../engine/ask-cost.ts';
import type { AskModel, ModelAnswer } from '../engine/ask-model-port.ts';
import { excerptEvenly, splitDiffByFile } from './diff-excerpt.ts';
import { type GoldenCase, goldenCasePieces } from './golden-cases.ts';
import {
  type AnsweredCase,
  type Calibration,
  type CaseAnswer,
  measureCalibration,
} from './judge-calibration.ts';
import { PROMPTS } from './prompts.ts';
import { requirementsReviewOpinion, requirementsReviewQuestion } from './requirements-review.ts';
import { signalOpinion, signalQuestion } from './signal-judgement.ts';

/** What can be measured: the questions that the janitor asks. */
export const CALIBRATED_QUESTIONS = ['second_look', 'llm_judge', 'llm_review'] as const;
export type CalibratedQuestion = (typeof CALIBRATED_QUESTIONS)[number];

/** Characters of a diff that a judge is shown, as in the janitor. */
const MAX_DIFF_CHARS = 10_000;
/** Questions at a time. */
const MAX_CONCURRENT_QUESTIONS = 4;

interface ReceiptedAnswer extends CaseAnswer {
  readonly spent: ModelCallUsage;
}

async function answerTo(
  of: GoldenCase,
  rubric: CalibratedQuestion,
  model: JudgeModel,
  ask: AskModel,
): Promise<ReceiptedAnswer> {
  const pieces = goldenCasePieces(of, excerptEvenly(splitDiffByFile(of.diff), MAX_DIFF_CHARS).text);
  const said = (
    outcome: string,
    confidence: number | null,
    spent: ModelAnswer<unknown>,
  ): ReceiptedAnswer => ({
    verdict: outcome === 'passed' ? 'good' : outcome === 'failed' ? 'bad' : null,
    confidence,
    spent,
  });
  if (rubric === 'second_look') {
    const notes =
      of.notes.length === 0
        ? []
        : [{ kind: 'rule_notes' as const, label: 'notes of rules', text: of.notes.join('\n') }];
    const question = requirementsReviewQuestion([...pieces, ...notes]);
    const answered = await ask(model, question);
    const { outcome, confidence } = requirementsReviewOpinion(answered, question.injections);
    return said(outcome, confidence, answered);
  }
  const signal =
    rubric === 'llm_judge'
      ? ({ type: 'llm_judge', criteria: of.criteria, on_error: 'hold' } as const)
      : ({ type: 'llm_review', instructions: of.criteria, on_error: 'hold' } as const);
  const question = signalQuestion(signal, pieces);
  const answered = await ask(model, question);
  const { outcome, confidence } = signalOpinion(signal, answered, question.injections);
  return said(outcome, confidence, answered);
}

export interface CalibrationReport extends Calibration {
  /** Names this measurement: the same judge on the same cases has the same name. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly rubric: CalibratedQuestion;
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
  readonly question: CalibratedQuestion;
  /** How often each case is asked about. */
  readonly repeats: number;
  readonly ask: AskModel;
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
    answers[index]?.push(await answerTo(goldenCase, question, model, ask));
    onAnswer?.(++done, todo.length);
  });
  const measured = cases.map(
    ({ id, truth }, index): AnsweredCase => ({ id, truth, answers: answers[index] ?? [] }),
  );
  const spent = answers.flat().map((each) => each.spent);
  const cost = sumOrNull(
    spent.map((each) => (each.calls === 0 ? 0 : askCostUsd(model, each, now.toISOString()))),
  );
  const result = measureCalibration(measured);
  const prompt_sha256 = PROMPTS[question].sha256;
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
