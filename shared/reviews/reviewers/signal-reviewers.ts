import * as z from 'zod';
import {
  describeSignal,
  effectiveQualityThreshold,
  type ModelJudgedSignal,
} from '../../contract/submission/signals.ts';
import { truncateText } from '../../lib/truncate.ts';
import { deriveOpinionVerdict } from '../engine/opinion-verdict.ts';
import type { PieceKind, ReviewPiece } from '../engine/review-piece.ts';
import type { JudgingReviewer, OpinionWithoutModel } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { JUDGE_REVIEWER_DEFAULTS, JudgeConfidence, JudgeReasons } from './judge-answer.ts';

/** Characters of a subject in the record; the task has it whole. */
const MAX_SUBJECT = 300;

interface SignalSubject {
  readonly signal: ModelJudgedSignal;
}
export interface SignalInput extends SignalSubject {
  /** The opinion of the quality gate without a model; absent or null: none. */
  readonly early?: OpinionWithoutModel | null;
}

/** Returns the question or criteria of the task. */
function signalPieces({ signal }: SignalSubject): ReviewPiece[] {
  if (signal.type === 'llm_review')
    return [{ kind: 'question', label: 'question about the work', text: signal.instructions }];
  return signal.criteria === undefined
    ? []
    : [{ kind: 'question', label: 'criteria', text: signal.criteria }];
}

interface SignalAnswer {
  readonly isGood: boolean;
  readonly reasons: readonly string[];
  readonly confidence?: number;
  readonly score?: number;
}

const SHOWN: readonly PieceKind[] = ['question', 'task', 'observed', 'diff'];

/** A reviewer of completion signals of one type. */
const signalReviewer = <Schema extends z.ZodType>(
  kind: ModelJudgedSignal['type'],
  answer: Schema,
  maxTokens: number,
  read: (answer: z.output<Schema>, signal: ModelJudgedSignal) => SignalAnswer,
  shows = SHOWN,
): JudgingReviewer<Schema, SignalInput, SignalSubject> => ({
  ...JUDGE_REVIEWER_DEFAULTS,
  kind,
  purpose: 'judge',
  prompt: JUDGE_PROMPTS[kind],
  answerSchema: () => answer,
  maxTokens,
  shows,
  pieces: signalPieces,
  head: ({ signal }) => ({ subject: truncateText(describeSignal(signal), MAX_SUBJECT) }),
  because: () => 'asked: the task names it among its completion signals',
  precheck: ({ early }) => early ?? null,
  decide: (value, { signal }) => {
    const { isGood, reasons, confidence = null, score } = read(value, signal);
    return {
      outcome: isGood ? 'passed' : 'failed',
      verdict: deriveOpinionVerdict(isGood, confidence),
      confidence,
      ...(score !== undefined && { score }),
      reasons: [...reasons],
    };
  },
  absent: ({ signal }) => signal.on_error,
});

const LLM_REVIEW = signalReviewer(
  'llm_review',
  z.strictObject({ reasons: JudgeReasons, answer: z.enum(['yes', 'no']) }),
  512,
  ({ answer, reasons }) => ({ isGood: answer === 'yes', reasons }),
);

const LLM_JUDGE = signalReviewer(
  'llm_judge',
  z.strictObject({
    reasons: JudgeReasons,
    verdict: z.enum(['accept', 'retry']),
    confidence: JudgeConfidence,
  }),
  1_024,
  ({ verdict, reasons, confidence }) => ({ isGood: verdict === 'accept', reasons, confidence }),
);

/** A score is a whole number of the scale: an answer without one has not been scored. */
const QUALITY_GATE = signalReviewer(
  'quality_gate',
  z.strictObject({
    feedback: z.string().max(2_000),
    fixes: z.array(z.string().max(1_000)).max(3),
    score: z.number().int().min(1).max(5),
  }),
  800,
  ({ score, feedback, fixes }, signal) => ({
    isGood: signal.type === 'quality_gate' && score >= effectiveQualityThreshold(signal),
    score,
    reasons: [`${score} of 5: ${feedback}`, ...fixes.map((fix) => `To mend: ${fix}`)],
  }),
  [...SHOWN, 'agent_summary', 'changed_files', 'date'],
);

/** The reviewers of completion signals, by type. */
export const SIGNAL_REVIEWERS = {
  llm_review: LLM_REVIEW,
  llm_judge: LLM_JUDGE,
  quality_gate: QUALITY_GATE,
} as const satisfies Readonly<
  Record<ModelJudgedSignal['type'], JudgingReviewer<z.ZodType, SignalInput, SignalSubject>>
>;

/** The reviewer of a signal. */
export const getSignalReviewer = ({
  type,
}: ModelJudgedSignal): JudgingReviewer<z.ZodType, SignalInput, SignalSubject> => SIGNAL_REVIEWERS[type];
