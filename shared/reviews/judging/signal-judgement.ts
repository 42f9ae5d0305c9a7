import * as z from 'zod';
import { type Judgement, NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import {
  describeSignal,
  effectiveQualityThreshold,
  type ModelJudgedSignal,
} from '../../contract/submission/signals.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { ModelAnswer, ReviewQuestion } from '../engine/ask-model-port.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { verdictOfOpinion, verdictWithoutOpinion } from './opinion-verdict.ts';
import { PROMPTS } from './prompts.ts';

export const JudgeReasons = z.array(z.string().max(1_000)).max(5);
/** Reasons stand before the answer: what a model has to justify first, it decides with more care. */
export const LlmReviewAnswer = z.strictObject({ reasons: JudgeReasons, answer: z.enum(['yes', 'no']) });
export const LlmJudgeAnswer = z.strictObject({
  reasons: JudgeReasons,
  verdict: z.enum(['accept', 'retry']),
  confidence: z.number().min(0).max(1),
});

/** Marks of the quality gate. A score is a whole number of the scale: what is none has not been marked, and is nobody's 3. */
export const QualityGateAnswer = z.strictObject({
  feedback: z.string().max(2_000),
  fixes: z.array(z.string().max(1_000)).max(3),
  score: z.number().int().min(1).max(5),
});

const KINDS = {
  llm_review: { prompt: PROMPTS.llm_review, answer: LlmReviewAnswer, maxTokens: 512 },
  llm_judge: { prompt: PROMPTS.llm_judge, answer: LlmJudgeAnswer, maxTokens: 1_024 },
  quality_gate: { prompt: PROMPTS.quality_gate, answer: QualityGateAnswer, maxTokens: 800 },
} as const;

/** Milliseconds for one judgement, with all its calls. */
export const JUDGEMENT_TIMEOUT_MS = 90_000;

/** What the task itself asks of the judge. */
function signalPieces(signal: ModelJudgedSignal): ReviewPiece[] {
  if (signal.type === 'llm_review')
    return [{ kind: 'question', label: 'question about the work', text: signal.instructions }];
  return signal.criteria === undefined
    ? []
    : [{ kind: 'question', label: 'criteria', text: signal.criteria }];
}

type Answers = typeof LlmReviewAnswer | typeof LlmJudgeAnswer | typeof QualityGateAnswer;

/** The question of a signal, about what is in `pieces`. */
export function signalQuestion(
  signal: ModelJudgedSignal,
  pieces: readonly ReviewPiece[],
): ReviewQuestion<Answers> {
  const { prompt, answer, maxTokens } = KINDS[signal.type];
  return reviewQuestion<Answers>(
    { prompt, answerSchema: answer, maxTokens, timeoutMs: JUDGEMENT_TIMEOUT_MS },
    [...signalPieces(signal), ...pieces],
  );
}

type SignalAnswer = z.output<Answers>;

function isGood(signal: ModelJudgedSignal, opinion: SignalAnswer): boolean {
  if ('answer' in opinion) return opinion.answer === 'yes';
  if ('verdict' in opinion) return opinion.verdict === 'accept';
  return signal.type === 'quality_gate' && opinion.score >= effectiveQualityThreshold(signal);
}

const reasonsIn = (opinion: SignalAnswer): string[] =>
  'reasons' in opinion
    ? opinion.reasons
    : [`${opinion.score} of 5: ${opinion.feedback}`, ...opinion.fixes.map((fix) => `To mend: ${fix}`)];

/** Characters of a subject in the record; the task has it whole. */
const SUBJECT = 300;

/** The parts of a judgement that do not depend on what came of it. */
export const signalJudgementHead = (
  signal: ModelJudgedSignal,
): Pick<Judgement, 'kind' | 'subject' | 'prompt' | 'calibration'> => {
  const { id, version, sha256 } = KINDS[signal.type].prompt;
  return {
    kind: signal.type,
    subject: truncateText(describeSignal(signal), SUBJECT),
    prompt: { id, version, sha256 },
    calibration: null,
  };
};

/** What was answered, as a judgement without what it cost. */
export function signalOpinion(
  signal: ModelJudgedSignal,
  answered: ModelAnswer<SignalAnswer>,
  injections: readonly string[] = [],
): Pick<Judgement, 'outcome' | 'verdict' | 'confidence' | 'score' | 'reasons' | 'injections'> {
  if ('outcome' in answered)
    return {
      outcome: answered.outcome,
      verdict: verdictWithoutOpinion(signal.on_error),
      confidence: null,
      reasons: [answered.why],
      injections: [...injections],
    };
  const { value } = answered;
  const confidence = 'confidence' in value ? value.confidence : null;
  const good = isGood(signal, value);
  return {
    outcome: good ? 'passed' : 'failed',
    verdict: verdictOfOpinion(good, confidence, injections),
    confidence,
    ...('score' in value ? { score: value.score } : {}),
    reasons: [...reasonsIn(value).map((reason) => reason.toWellFormed()), ...injections],
    injections: [...injections],
  };
}

/** A judgement for which nobody was asked. `failed`: it could be seen without a model. */
export const unaskedSignalJudgement = (
  signal: ModelJudgedSignal,
  {
    outcome,
    because,
  }: { readonly outcome: 'skipped' | 'could_not_run' | 'infra_failed' | 'failed'; readonly because: string },
): Judgement => ({
  ...signalJudgementHead(signal),
  ...NO_CALL_USAGE,
  outcome,
  verdict:
    outcome === 'skipped' ? 'pass' : outcome === 'failed' ? 'fail' : verdictWithoutOpinion(signal.on_error),
  reasons: [because],
  because,
});
