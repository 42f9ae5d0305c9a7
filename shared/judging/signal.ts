import * as z from 'zod';
import { firstOf } from '../task/cut.ts';
import { describeSignal, type JudgedSignal } from '../task/signals.ts';
import type { Judgement } from './judgement.ts';
import { material, type Piece } from './material.ts';
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

const KINDS = {
  llm_review: { prompt: PROMPTS.llm_review, answer: Review, maxTokens: 512 },
  llm_judge: { prompt: PROMPTS.llm_judge, answer: Judged, maxTokens: 1_024 },
} as const;

/** Milliseconds for one judgement, with all its calls. */
export const JUDGEMENT_MS = 90_000;

/** The question of a signal, about what is in `pieces`. */
export function questionOf(
  signal: JudgedSignal,
  pieces: readonly Piece[],
): Question<typeof Review | typeof Judged> {
  const { prompt, answer, maxTokens } = KINDS[signal.type];
  const asked =
    signal.type === 'llm_review'
      ? { label: 'question about the work', text: signal.instructions }
      : { label: 'criteria', text: signal.criteria };
  const { text, boundary, injections } = material([asked, ...pieces]);
  return { prompt, material: text, boundary, injections, answer, maxTokens, timeoutMs: JUDGEMENT_MS };
}

type Opinion = z.output<typeof Review | typeof Judged>;

const isGood = (opinion: Opinion): boolean =>
  'answer' in opinion ? opinion.answer === 'yes' : opinion.verdict === 'accept';

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
): Pick<Judgement, 'outcome' | 'verdict' | 'confidence' | 'reasons' | 'injections'> {
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
  return {
    outcome: isGood(value) ? 'passed' : 'failed',
    verdict: withOpinion(isGood(value), confidence, injections),
    confidence,
    reasons: [...value.reasons.map((reason) => reason.toWellFormed()), ...injections],
    injections: [...injections],
  };
}

/** A judgement for which nobody was asked. */
export const unaskedJudgement = (
  signal: JudgedSignal,
  { outcome, because }: { readonly outcome: 'skipped' | 'inert' | 'infra_failed'; readonly because: string },
): Judgement => ({
  ...headOf(signal),
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : withoutOpinion(signal.on_error),
  confidence: null,
  reasons: [because],
  injections: [],
  because,
  model: null,
  family: null,
  prompt: null,
  calls: 0,
  tokens: null,
  cost_usd: null,
  duration_ms: 0,
});
