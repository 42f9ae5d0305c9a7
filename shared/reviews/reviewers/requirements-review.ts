import * as z from 'zod';
import { isConclusiveOutcome } from '../../contract/check-outcome.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewDecision } from '../../contract/judgement/judgement.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReviewDecisionReason, type SkipReason } from '../engine/decision-reason.ts';
import { createSkippedJudgement } from '../engine/engine.ts';
import { explainMissingJudgeModel } from '../engine/missing-opinion.ts';
import { deriveOpinionVerdict } from '../engine/opinion-verdict.ts';
import type { JudgingReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { JUDGE_REVIEWER_DEFAULTS, JudgeConfidence, JudgeReasons } from './judge-answer.ts';

/** Returns the findings of checks that have passed: they do not decide by themselves. */
export const listPassedCheckFindings = ({ gates }: Pick<Evidence, 'gates'>): string[] =>
  gates
    .filter(({ outcome }) => isConclusiveOutcome(outcome))
    .flatMap(({ name, findings }) =>
      findings
        .filter(({ baseline }) => baseline !== 'unchanged')
        .map(
          ({ file, line, rule, message }) => `${name}: ${rule} at ${file}:${line}: ${message.slice(0, 200)}`,
        ),
    );

const RequirementsReviewAnswer = z.strictObject({
  reasons: JudgeReasons,
  verdict: z.enum(['clear', 'doubt']),
  confidence: JudgeConfidence,
});

const skipped = (code: Exclude<SkipReason['code'], 'stopped_at_node'>): RequirementsReviewDecision => ({
  outcome: 'skipped',
  because: describeReviewDecisionReason({ code }),
});

/**
 * Asked only where it can change something: it makes of a pass that a person is asked, and of nothing else anything. Without hidden
 * tests always, because then nothing that ran can tell an answer learnt by heart from one that is worked out.
 */
export function decideRequirementsReview(
  task: Pick<Task, 'hidden_tests' | 'plan'>,
  evidence: Pick<Evidence, 'gates' | 'empty_patch'>,
  { verdict }: Pick<Verdict, 'verdict'>,
  isServed: boolean,
): RequirementsReviewDecision {
  if (verdict === 'fail') return skipped('failed_already');
  if (verdict === 'refer') return skipped('needs_review_already');
  if (task.plan) return skipped('plan');
  if (evidence.empty_patch) return skipped('empty_patch');
  const notes = listPassedCheckFindings(evidence).length;
  if (task.hidden_tests && notes === 0) return skipped('hidden_tests');
  if (!isServed) return { outcome: 'could_not_run', because: explainMissingJudgeModel('second_look') };
  const why = task.hidden_tests ? [] : ['the task has no hidden test'];
  if (notes > 0) why.push(`rules have left ${notes} ${notes === 1 ? 'note' : 'notes'}`);
  return { outcome: 'asked', because: `asked: ${why.join(', and ')}` };
}

interface RequirementsReviewInput {
  /** The reason for asking. */
  readonly because: string;
}

/** A doubt, and no answer, need a reviewer: the requirements review lets no work out, and fails none. */
export const REQUIREMENTS_REVIEWER = {
  ...JUDGE_REVIEWER_DEFAULTS,
  kind: 'second_look',
  purpose: 'second_look',
  prompt: JUDGE_PROMPTS.second_look,
  answerSchema: () => RequirementsReviewAnswer,
  maxTokens: 1_024,
  shows: ['task', 'observed', 'diff', 'rule_notes'],
  head: () => ({ subject: 'second look' }),
  because: ({ because }) => because,
  decide: ({ verdict, confidence, reasons }) => ({
    outcome: verdict === 'clear' ? 'passed' : 'failed',
    verdict: deriveOpinionVerdict(verdict === 'clear', confidence) === 'pass' ? 'pass' : 'refer',
    confidence,
    reasons,
  }),
  absent: () => 'hold',
} satisfies JudgingReviewer<typeof RequirementsReviewAnswer, RequirementsReviewInput, unknown>;

/** The record of a review that was not asked for: it was not needed, or no model is configured. */
export const createUnaskedRequirementsJudgement = (
  outcome: Exclude<RequirementsReviewDecision['outcome'], 'asked'>,
  because: string,
): Judgement => ({ ...createSkippedJudgement(REQUIREMENTS_REVIEWER, undefined, because), outcome });
