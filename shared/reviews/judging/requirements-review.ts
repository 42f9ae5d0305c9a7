import * as z from 'zod';
import { hasCheckResult } from '../../contract/check-outcome.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  type JudgementOpinion,
  NO_ANSWER_REASON,
  NO_CALL_USAGE,
  type RequirementsReviewPlan,
  UNKNOWN_CALL_USAGE,
} from '../../contract/judgement/judgement.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ModelAnswer, ReviewQuestion } from '../engine/ask-model-port.ts';
import { missingModelInstruction } from '../engine/engine.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { verdictOfOpinion } from './opinion-verdict.ts';
import { PROMPTS } from './prompts.ts';
import { JUDGEMENT_TIMEOUT_MS, JudgeReasons } from './signal-judgement.ts';

/** What rules have noted in a check that has passed: a reading that does not decide by itself. */
export const findingNotes = ({ gates }: Pick<Evidence, 'gates'>): string[] =>
  gates
    .filter(({ outcome }) => hasCheckResult(outcome))
    .flatMap(({ name, findings }) =>
      findings
        .filter(({ baseline }) => baseline !== 'unchanged')
        .map(
          ({ file, line, rule, message }) => `${name}: ${rule} at ${file}:${line}: ${message.slice(0, 200)}`,
        ),
    );

const skipped = (because: string): RequirementsReviewPlan => ({
  outcome: 'skipped',
  because: `not asked: ${because}`,
});

/**
 * Asked only where it can change something: it makes of a pass that a person is asked, and of nothing else anything. Without hidden
 * tests always, because then nothing that ran can tell an answer learnt by heart from one that is worked out.
 */
export function planRequirementsReview(
  task: Pick<Task, 'hidden_tests' | 'plan'>,
  evidence: Pick<Evidence, 'gates' | 'empty_patch'>,
  { verdict }: Pick<Verdict, 'verdict'>,
  isServed: boolean,
): RequirementsReviewPlan {
  if (verdict === 'fail') return skipped('what was observed has failed already, and no opinion mends that');
  if (verdict === 'refer') return skipped('a person is asked already');
  if (task.plan) return skipped('a plan is looked at by a person');
  if (evidence.empty_patch) return skipped('the patch changes nothing');
  const notes = findingNotes(evidence).length;
  if (task.hidden_tests && notes === 0)
    return skipped('hidden tests have run, and no rule has noted anything');
  if (!isServed) return { outcome: 'could_not_run', because: missingModelInstruction('second_look') };
  const why = task.hidden_tests ? [] : ['the task has no hidden test'];
  if (notes > 0) why.push(`rules have left ${notes} ${notes === 1 ? 'note' : 'notes'}`);
  return { outcome: 'asked', because: `asked: ${why.join(', and ')}` };
}

export const RequirementsReviewAnswer = z.strictObject({
  reasons: JudgeReasons,
  verdict: z.enum(['clear', 'doubt']),
  confidence: z.number().min(0).max(1),
});

const SUBJECT = 'second look';
const { id, version, sha256 } = PROMPTS.second_look;
const HEAD = {
  kind: 'second_look',
  subject: SUBJECT,
  prompt: { id, version, sha256 },
  calibration: null,
} as const;

export function requirementsReviewQuestion(
  pieces: readonly ReviewPiece[],
): ReviewQuestion<typeof RequirementsReviewAnswer> {
  return reviewQuestion(
    {
      prompt: PROMPTS.second_look,
      answerSchema: RequirementsReviewAnswer,
      maxTokens: 1_024,
      timeoutMs: JUDGEMENT_TIMEOUT_MS,
    },
    pieces,
  );
}

/** What was answered. A doubt, and no answer to what was asked, is for a person; neither lets work out, and neither fails it. */
export function requirementsReviewOpinion(
  answered: ModelAnswer<z.output<typeof RequirementsReviewAnswer>>,
  injections: readonly string[],
): JudgementOpinion {
  if ('outcome' in answered)
    return {
      ...HEAD,
      outcome: answered.outcome,
      verdict: 'refer',
      confidence: null,
      reasons: [answered.why],
      injections: [...injections],
    };
  const { verdict, confidence, reasons } = answered.value;
  const isClear = verdict === 'clear';
  return {
    ...HEAD,
    outcome: isClear ? 'passed' : 'failed',
    verdict: verdictOfOpinion(isClear, confidence, injections) === 'pass' ? 'pass' : 'refer',
    confidence,
    reasons: [...reasons.map((reason) => reason.toWellFormed()), ...injections],
    injections: [...injections],
  };
}

/** The record where nobody was asked: it was not needed, or for `why`, when a person looks. Or nobody came back. */
export const unansweredRequirementsReview = (
  { outcome, because }: RequirementsReviewPlan,
  why?: string,
): Judgement => ({
  ...HEAD,
  ...(outcome === 'asked' && why === undefined ? UNKNOWN_CALL_USAGE : NO_CALL_USAGE),
  outcome: outcome !== 'asked' ? outcome : why === undefined ? 'infra_failed' : 'could_not_run',
  verdict: outcome === 'asked' ? 'refer' : 'pass',
  reasons: [outcome === 'asked' ? (why ?? NO_ANSWER_REASON) : because],
  because,
});
