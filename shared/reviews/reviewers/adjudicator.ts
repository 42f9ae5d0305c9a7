import * as z from 'zod';
import type { ExamPointOutcome } from '../../contract/evidence/independent.ts';
import { MIN_JUDGE_CONFIDENCE } from '../engine/opinion-verdict.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import type { ModelReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';

const AdjudicatorAnswer = z.strictObject({
  reason: z.string().max(2_000),
  basis: z.enum(['task', 'base', 'none']),
  quote: z.string().max(2_000),
  decision: z.enum(['demanded', 'not_demanded', 'cannot_tell']),
  severity: z.enum(['blocking', 'minor']),
  confidence: z.number().min(0).max(1),
});
export type AdjudicatorAnswer = z.output<typeof AdjudicatorAnswer>;

/** A failing test with the change that it fails on. */
export interface AdjudicatedFailure {
  readonly requirement: string;
  readonly test: string;
  readonly files: string;
  readonly failure: string;
  readonly diff: string;
  /** The change is shown before the test. Of a comparison with the base, both orders are asked. */
  readonly isChangeFirst: boolean;
}

const piecesOf = ({
  requirement,
  test,
  files,
  failure,
  diff,
  isChangeFirst,
}: AdjudicatedFailure): ReviewPiece[] => {
  const change: ReviewPiece = { kind: 'failing_test', label: 'change', text: diff };
  const tests: ReviewPiece[] = [
    { kind: 'failing_test', label: 'requirement, as the author of the test words it', text: requirement },
    { kind: 'failing_test', label: `test ${test}`, text: files },
    { kind: 'failing_test', label: 'failure', text: failure },
  ];
  return isChangeFirst ? [change, ...tests] : [...tests, change];
};

/** Decides whether the task demands what a failing test asks. It can only take a failure away or weaken it. */
export const ADJUDICATOR_REVIEWER = {
  kind: 'adjudicator',
  purpose: 'adjudicator',
  family: 'any',
  prompt: JUDGE_PROMPTS.adjudicator,
  answerSchema: () => AdjudicatorAnswer,
  maxTokens: 1_024,
  maxInputTokens: 20_000,
  timeoutMs: () => 60_000,
  shows: ['task', 'failing_test'],
  pieces: piecesOf,
} satisfies ModelReviewer<typeof AdjudicatorAnswer, AdjudicatedFailure>;

const normalise = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
/** Letters of a quote below which it could be found in any task. */
const MIN_QUOTE = 8;

/** Checks what code can check: a sentence that the task does not have demands nothing. */
const isGrounded = ({ basis, quote }: AdjudicatorAnswer, task: string): boolean =>
  basis === 'base'
    ? quote.trim() !== ''
    : basis === 'task' && normalise(quote).length >= MIN_QUOTE && normalise(task).includes(normalise(quote));

type Decision = 'blocking' | 'minor' | 'not_demanded' | 'cannot_tell';

function decideOne(answer: AdjudicatorAnswer, task: string): Decision {
  if (answer.confidence < MIN_JUDGE_CONFIDENCE) return 'cannot_tell';
  if (answer.decision !== 'demanded') return answer.decision;
  return isGrounded(answer, task) ? answer.severity : 'cannot_tell';
}

const RESULTS: Readonly<Record<Decision, ExamPointOutcome>> = {
  blocking: { outcome: 'not_met' },
  minor: { outcome: 'dropped', reason: 'minor' },
  not_demanded: { outcome: 'dropped', reason: 'not_demanded' },
  cannot_tell: { outcome: 'not_run', reason: 'cannot_tell' },
};

/**
 * Returns the result of a failing test by the answers of the adjudicator; several are those in both orders, and have to agree.
 * No answer, and answers that disagree, are left to a reviewer.
 */
export function decideAdjudication(
  answers: readonly (AdjudicatorAnswer | null)[],
  task: string,
): ExamPointOutcome {
  const decisions = new Set(
    answers.map((answer) => (answer === null ? 'cannot_tell' : decideOne(answer, task))),
  );
  const [only = 'cannot_tell', ...others] = decisions;
  return RESULTS[others.length === 0 ? only : 'cannot_tell'];
}
