import * as z from 'zod';
import { isTestPath } from '../../contract/evidence/test-path.ts';
import type { JudgementOpinion } from '../../contract/judgement/judgement.ts';
import type { ModelAnswer, ReviewQuestion } from '../engine/ask-model-port.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { excerptEvenly, splitDiffByFile } from './diff-excerpt.ts';
import { MIN_JUDGE_CONFIDENCE } from './opinion-verdict.ts';
import { compareInBothOrders, type PairwiseComparison } from './pairwise-comparison.ts';
import { PROMPTS } from './prompts.ts';
import { JUDGEMENT_TIMEOUT_MS, JudgeReasons } from './signal-judgement.ts';

/** What tests of the base expect where the patch has them expect something else, and what they expect then. */
export interface ChangedExpectations {
  readonly before: string;
  readonly after: string;
}

/** Characters of each side that are shown. */
const SIDE = 5_000;

interface Side {
  readonly path: string;
  readonly before: string[];
  readonly after: string[];
}

function sidesOf(part: string): Side | null {
  const lines = part.split('\n');
  const name = (mark: string): string | undefined =>
    lines
      .find((line) => line.startsWith(`${mark} `))
      ?.slice(mark.length + 1)
      .replace(/^[ab]\//, '');
  const paths = [name('---'), name('+++')].filter((each) => each !== undefined && each !== '/dev/null');
  const path = paths.find((each) => each !== undefined && isTestPath(each));
  if (path === undefined) return null;
  const begin = lines.findIndex((line) => line.startsWith('@@'));
  const shown = begin < 0 ? [] : lines.slice(begin);
  // A test that is only added takes no expectation away.
  if (!shown.some((line) => line.startsWith('-'))) return null;
  const side = (mark: string): string[] =>
    shown.flatMap((line) =>
      line.startsWith('@@') ? ['…'] : line.startsWith(' ') || line.startsWith(mark) ? [line.slice(1)] : [],
    );
  return { path, before: side('-'), after: side('+') };
}

/** Null: the patch changes no expectation of a test that was there. */
export function findChangedExpectations(diff: string): ChangedExpectations | null {
  const sides = splitDiffByFile(diff).flatMap((part) => sidesOf(part) ?? []);
  if (sides.length === 0) return null;
  const text = (of: (side: Side) => readonly string[]): string =>
    excerptEvenly(
      sides.map((side) => `${side.path}\n${of(side).join('\n')}\n`),
      SIDE,
    ).text;
  return { before: text((side) => side.before), after: text((side) => side.after) };
}

export const ExpectationAnswer = z.strictObject({
  reasons: JudgeReasons,
  answer: z.enum(['A', 'B', 'either']),
  confidence: z.number().min(0).max(1),
});

/** @param isSwapped what the patch expects is shown as A. */
export function expectationQuestion(
  { before, after }: ChangedExpectations,
  task: readonly ReviewPiece[],
  isSwapped: boolean,
): ReviewQuestion<typeof ExpectationAnswer> {
  const [a, b] = isSwapped ? [after, before] : [before, after];
  return reviewQuestion(
    {
      prompt: PROMPTS.expectations,
      answerSchema: ExpectationAnswer,
      maxTokens: 1_024,
      timeoutMs: JUDGEMENT_TIMEOUT_MS,
    },
    [
      ...task,
      { kind: 'expectation', label: 'version A', text: a },
      { kind: 'expectation', label: 'version B', text: b },
    ],
  );
}

/** Asks which expectations the task asks for, in both orders. `first` is what the base expects. */
export const compareExpectations = (
  ask: (isSwapped: boolean) => Promise<ModelAnswer<z.output<typeof ExpectationAnswer>>>,
): Promise<PairwiseComparison> =>
  compareInBothOrders(async (isSwapped) => {
    const answered = await ask(isSwapped);
    if ('outcome' in answered) return answered;
    const { answer, confidence, reasons } = answered.value;
    return { ...answered, value: { better: answer, confidence, reasons } };
  });

const { id, version, sha256 } = PROMPTS.expectations;
const EXPECTATION_COMPARISON_HEAD = {
  kind: 'expectations',
  subject: 'changed expectations',
  prompt: { id, version, sha256 },
  calibration: null,
} as const;

const WORDS = { first: 'the base', second: 'the patch', either: 'either' } as const;

/** What the comparison makes of the verdict: a person is asked, or nothing. Only two answers that agree let the work on. */
export function expectationOpinion(
  compared: PairwiseComparison,
  injections: readonly string[],
): JudgementOpinion {
  const of = { ...EXPECTATION_COMPARISON_HEAD, injections: [...injections] };
  if ('outcome' in compared)
    return { ...of, outcome: compared.outcome, verdict: 'refer', confidence: null, reasons: [compared.why] };
  const reasons = [...compared.reasons.map((each) => each.toWellFormed()), ...injections];
  if ('disagreed' in compared) {
    const [one, other] = compared.disagreed;
    const told = `asked in both orders, the answers disagree: ${WORDS[one]}, then ${WORDS[other]}`;
    return { ...of, outcome: 'failed', verdict: 'refer', confidence: null, reasons: [told, ...reasons] };
  }
  const { agreed, confidence } = compared;
  const isGood = agreed !== 'first';
  const lets = isGood && confidence >= MIN_JUDGE_CONFIDENCE && injections.length === 0;
  return {
    ...of,
    outcome: isGood ? 'passed' : 'failed',
    verdict: lets ? 'pass' : 'refer',
    confidence,
    reasons: [`in both orders: ${WORDS[agreed]}`, ...reasons],
  };
}
