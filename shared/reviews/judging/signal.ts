import * as z from 'zod';
import { type Judgement, NOBODY_ASKED } from '../../contract/judgement/judgement.ts';
import { describeSignal, type JudgedSignal, thresholdOf } from '../../contract/submission/signals.ts';
import { firstOf } from '../../lib/cut.ts';
import { material, type Piece } from '../../lib/material.ts';
import { withOpinion, withoutOpinion } from './outcomes.ts';
import type { Answered, Question } from './port.ts';
import { PROMPTS } from './prompts.ts';

export const Reasons = z.array(z.string().max(1_000)).max(5);
/** Reasons stand before the answer: what a model has to justify first, it decides with more care. */
export const Review = z.strictObject({ reasons: Reasons, answer: z.enum(['yes', 'no']) });
export const Judged = z.strictObject({
  reasons: Reasons,
  verdict: z.enum(['accept', 'retry']),
  confidence: z.number().min(0).max(1),
});

/** Marks of the quality gate. A score is a whole number of the scale: what is none has not been marked, and is nobody's 3. */
export const Scored = z.strictObject({
  feedback: z.string().max(2_000),
  fixes: z.array(z.string().max(1_000)).max(3),
  score: z.number().int().min(1).max(5),
});

const KINDS = {
  llm_review: { prompt: PROMPTS.llm_review, answer: Review, maxTokens: 512 },
  llm_judge: { prompt: PROMPTS.llm_judge, answer: Judged, maxTokens: 1_024 },
  quality_gate: { prompt: PROMPTS.quality_gate, answer: Scored, maxTokens: 800 },
} as const;

/** Milliseconds for one judgement, with all its calls. */
export const JUDGEMENT_MS = 90_000;

/** What the task itself asks of the judge. */
function askedBy(signal: JudgedSignal): Piece[] {
  if (signal.type === 'llm_review') return [{ label: 'question about the work', text: signal.instructions }];
  return signal.criteria === undefined ? [] : [{ label: 'criteria', text: signal.criteria }];
}

type Answers = typeof Review | typeof Judged | typeof Scored;

/** The question of a signal, about what is in `pieces`. */
export function questionOf(signal: JudgedSignal, pieces: readonly Piece[]): Question<Answers> {
  const { prompt, answer, maxTokens } = KINDS[signal.type];
  const { text, boundary, injections } = material([...askedBy(signal), ...pieces]);
  return { prompt, material: text, boundary, injections, answer, maxTokens, timeoutMs: JUDGEMENT_MS };
}

type Opinion = z.output<Answers>;

function isGood(signal: JudgedSignal, opinion: Opinion): boolean {
  if ('answer' in opinion) return opinion.answer === 'yes';
  if ('verdict' in opinion) return opinion.verdict === 'accept';
  return signal.type === 'quality_gate' && opinion.score >= thresholdOf(signal);
}

const reasonsIn = (opinion: Opinion): string[] =>
  'reasons' in opinion
    ? opinion.reasons
    : [`${opinion.score} of 5: ${opinion.feedback}`, ...opinion.fixes.map((fix) => `To mend: ${fix}`)];

/** Characters of a subject in the record; the task has it whole. */
const SUBJECT = 300;

/** The parts of a judgement that do not depend on what came of it. */
export const headOf = (
  signal: JudgedSignal,
): Pick<Judgement, 'kind' | 'subject' | 'prompt' | 'calibration'> => {
  const { id, version, sha256 } = KINDS[signal.type].prompt;
  return {
    kind: signal.type,
    subject: firstOf(describeSignal(signal), SUBJECT),
    prompt: { id, version, sha256 },
    calibration: null,
  };
};

/** What was answered, as a judgement without what it cost. */
export function opinionOf(
  signal: JudgedSignal,
  answered: Answered<Opinion>,
  injections: readonly string[] = [],
): Pick<Judgement, 'outcome' | 'verdict' | 'confidence' | 'score' | 'reasons' | 'injections'> {
  if ('outcome' in answered)
    return {
      outcome: answered.outcome,
      verdict: withoutOpinion(signal.on_error),
      confidence: null,
      reasons: [answered.why],
      injections: [...injections],
    };
  const { value } = answered;
  const confidence = 'confidence' in value ? value.confidence : null;
  const good = isGood(signal, value);
  return {
    outcome: good ? 'passed' : 'failed',
    verdict: withOpinion(good, confidence, injections),
    confidence,
    ...('score' in value ? { score: value.score } : {}),
    reasons: [...reasonsIn(value).map((reason) => reason.toWellFormed()), ...injections],
    injections: [...injections],
  };
}

/** A judgement for which nobody was asked. `failed`: it could be seen without a model. */
export const unaskedJudgement = (
  signal: JudgedSignal,
  {
    outcome,
    because,
  }: { readonly outcome: 'skipped' | 'inert' | 'infra_failed' | 'failed'; readonly because: string },
): Judgement => ({
  ...headOf(signal),
  ...NOBODY_ASKED,
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : outcome === 'failed' ? 'fail' : withoutOpinion(signal.on_error),
  reasons: [because],
  because,
});
