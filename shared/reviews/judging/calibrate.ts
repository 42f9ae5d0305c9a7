import type { Spent } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/models.ts';
import { sumKnown } from '../../contract/task/judging-cost.ts';
import { canonicalHash } from '../../lib/canonical.ts';
import { type Calibration, calibrationOf, type Measured, type Said } from './calibration.ts';
import { type GoldenCase, piecesOfGolden } from './golden.ts';
import type { Answered, AskModel } from './port.ts';
import { costOf } from './price.ts';
import { PROMPTS } from './prompts.ts';
import { lookedAt, lookQuestion } from './second-look.ts';
import { filesOfDiff, share } from './shown-diff.ts';
import { opinionOf, questionOf } from './signal.ts';

/** What can be measured: the questions that the janitor asks. */
export const RUBRICS = ['second_look', 'llm_judge', 'llm_review'] as const;
export type Rubric = (typeof RUBRICS)[number];

/** Characters of a diff that a judge is shown, as in the janitor. */
const DIFF = 10_000;
/** Questions at a time. */
const LANES = 4;

interface Answer extends Said {
  readonly spent: Spent;
}

async function answerTo(of: GoldenCase, rubric: Rubric, model: JudgeModel, ask: AskModel): Promise<Answer> {
  const pieces = piecesOfGolden(of, share(filesOfDiff(of.diff), DIFF).text);
  const said = (outcome: string, confidence: number | null, spent: Answered<unknown>): Answer => ({
    word: outcome === 'passed' ? 'good' : outcome === 'failed' ? 'bad' : null,
    confidence,
    spent,
  });
  if (rubric === 'second_look') {
    const notes = of.notes.length === 0 ? [] : [{ label: 'notes of rules', text: of.notes.join('\n') }];
    const question = lookQuestion([...pieces, ...notes]);
    const answered = await ask(model, question);
    const { outcome, confidence } = lookedAt(answered, question.injections);
    return said(outcome, confidence, answered);
  }
  const signal =
    rubric === 'llm_judge'
      ? ({ type: 'llm_judge', criteria: of.criteria, on_error: 'hold' } as const)
      : ({ type: 'llm_review', instructions: of.criteria, on_error: 'hold' } as const);
  const question = questionOf(signal, pieces);
  const answered = await ask(model, question);
  const { outcome, confidence } = opinionOf(signal, answered, question.injections);
  return said(outcome, confidence, answered);
}

export interface Calibrated extends Calibration {
  /** Names this measurement: the same judge on the same cases has the same name. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly rubric: Rubric;
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

export interface CalibrateOptions {
  readonly model: JudgeModel;
  readonly rubric: Rubric;
  /** How often each case is asked about. */
  readonly repeats: number;
  readonly ask: AskModel;
  readonly now: Date;
  readonly onAnswer?: (done: number, all: number) => void;
}

/** Asks a model about cases with a known truth, and says how far it can be relied on. */
export async function calibrate(
  cases: readonly GoldenCase[],
  { model, rubric, repeats, ask, now, onAnswer }: CalibrateOptions,
): Promise<Calibrated> {
  const answers = cases.map((): Answer[] => []);
  const todo = Array.from({ length: repeats }, () => [...cases.keys()]).flat();
  const all = todo.length;
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let index = todo.shift(); index !== undefined; index = todo.shift()) {
      const of = cases[index];
      if (!of) continue;
      answers[index]?.push(await answerTo(of, rubric, model, ask));
      onAnswer?.(++done, all);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const measured = cases.map(
    ({ id, truth }, index): Measured => ({ id, truth, answers: answers[index] ?? [] }),
  );
  const spent = answers.flat().map((each) => each.spent);
  const cost = sumKnown(spent.map((each) => (each.calls === 0 ? 0 : costOf(model, each, now.toISOString()))));
  const result = calibrationOf(measured);
  const prompt_sha256 = PROMPTS[rubric].sha256;
  const golden_sha256 = canonicalHash(cases);
  const name = { provider: model.provider, model: model.model, prompt_sha256, golden_sha256, repeats };
  return {
    id: `cal-${canonicalHash({ ...name, result }).slice(0, 12)}`,
    ...name,
    rubric,
    ...result,
    tokens: {
      input: spent.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0),
      output: spent.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0),
    },
    cost_usd: cost,
    cost_per_answer_usd: cost === null || result.answers === 0 ? null : cost / result.answers,
    wrong: measured
      .filter(({ truth, answers: given }) => given.some(({ word }) => word !== truth))
      .map(({ id, truth, answers: given }) => ({ id, truth, said: given.map(({ word }) => word) })),
  };
}
