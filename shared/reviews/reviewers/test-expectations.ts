import * as z from 'zod';
import { isTestPath } from '../../contract/evidence/test-path.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import { comparePairInBothOrders, type PairwiseComparison } from '../engine/both-orders.ts';
import {
  askModelAsReviewer,
  type ReviewerContext,
  type ReviewMaterial,
  runReviewerWithQuestions,
} from '../engine/engine.ts';
import { MIN_JUDGE_CONFIDENCE } from '../engine/opinion-verdict.ts';
import type { JudgingReviewer } from '../engine/reviewer.ts';
import { excerptDiffsEvenly, splitDiffByFile } from '../judging/diff-excerpt.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { JUDGE_REVIEWER_DEFAULTS, JudgeConfidence, JudgeReasons } from './judge-answer.ts';

/** Expectations of the base's tests that the patch changes, before and after. */
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

/** Returns the changed expectations; null: the patch changes none of a test of the base. */
export function findChangedExpectations(diff: string): ChangedExpectations | null {
  const sides = splitDiffByFile(diff).flatMap((part) => sidesOf(part) ?? []);
  if (sides.length === 0) return null;
  const text = (of: (side: Side) => readonly string[]): string =>
    excerptDiffsEvenly(
      sides.map((side) => `${side.path}\n${of(side).join('\n')}\n`),
      SIDE,
    ).text;
  return { before: text((side) => side.before), after: text((side) => side.after) };
}

const ExpectationAnswer = z.strictObject({
  reasons: JudgeReasons,
  answer: z.enum(['A', 'B', 'either']),
  confidence: JudgeConfidence,
});

interface ExpectationInput {
  readonly expectations: ChangedExpectations;
  /** True: the patch's expectations are shown as A. */
  readonly isSwapped: boolean;
}

const WORDS = { first: 'the base', second: 'the patch', either: 'either' } as const;

/** A comparison needs a reviewer, or changes nothing. Only two answers that agree let the work on. */
export const TEST_EXPECTATION_REVIEWER = {
  ...JUDGE_REVIEWER_DEFAULTS,
  kind: 'expectations',
  purpose: 'requirements_review',
  prompt: JUDGE_PROMPTS.expectations,
  answerSchema: () => ExpectationAnswer,
  maxTokens: 1_024,
  shows: ['task', 'expectation'],
  pieces: ({ expectations: { before, after }, isSwapped }) =>
    (isSwapped ? [after, before] : [before, after]).map((text, index) => ({
      kind: 'expectation',
      label: `version ${'AB'[index]}`,
      text,
    })),
  head: () => ({ subject: 'changed expectations' }),
  because: () => 'asked in both orders: the patch changes what tests of the base expect',
  decide: (compared) => {
    if ('disagreed' in compared) {
      const [one, other] = compared.disagreed;
      const disagreement = `asked in both orders, the answers disagree: ${WORDS[one]}, then ${WORDS[other]}`;
      return { outcome: 'failed', verdict: 'refer', reasons: [disagreement, ...compared.reasons] };
    }
    const { agreed, confidence, reasons } = compared;
    const isGood = agreed !== 'first';
    return {
      outcome: isGood ? 'passed' : 'failed',
      verdict: isGood && confidence >= MIN_JUDGE_CONFIDENCE ? 'pass' : 'refer',
      confidence,
      reasons: [`in both orders: ${WORDS[agreed]}`, ...reasons],
    };
  },
  absent: () => 'hold',
} satisfies JudgingReviewer<typeof ExpectationAnswer, ExpectationInput, unknown, PairwiseComparison>;

/** Asks in both orders which expectations the task asks for. */
export const runExpectationComparison = (
  expectations: ChangedExpectations,
  material: ReviewMaterial,
  context: ReviewerContext,
): Promise<Judgement> =>
  runReviewerWithQuestions<typeof ExpectationAnswer, ExpectationInput, unknown, PairwiseComparison>(
    TEST_EXPECTATION_REVIEWER,
    { expectations, isSwapped: false },
    context,
    (model) =>
      comparePairInBothOrders((isSwapped) =>
        askModelAsReviewer(TEST_EXPECTATION_REVIEWER, { expectations, isSwapped }, material, model, context),
      ),
  );
