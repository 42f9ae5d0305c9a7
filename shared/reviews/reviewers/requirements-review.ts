import * as z from 'zod';
import { isConclusiveOutcome } from '../../contract/check-outcome.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  REQUIREMENT_STATES,
  type RequirementsReviewDecision,
  type ReviewedRequirement,
} from '../../contract/judgement/judgement.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { combineModelCallReceipts } from '../engine/both-orders.ts';
import { describeReviewDecisionReason, type SkipReason } from '../engine/decision-reason.ts';
import {
  askModelAsReviewer,
  createSkippedJudgement,
  type ReviewerContext,
  type ReviewMaterial,
  runReviewerWithQuestions,
} from '../engine/engine.ts';
import { explainMissingJudgeModel } from '../engine/missing-opinion.ts';
import { deriveOpinionVerdict } from '../engine/opinion-verdict.ts';
import type { JudgingReviewer, ModelReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { JUDGE_REVIEWER_DEFAULTS, JudgeConfidence } from './judge-answer.ts';

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

/** Most requirements of a task that are reviewed. */
const MAX_REQUIREMENTS = 30;
/** Most reasons of a judgement, and most characters of a text in it: the task's item holds them. */
const MAX_REASONS = 20;
const MAX_TEXT = 300;

const RequirementsReviewAnswer = z.strictObject({
  requirements: z
    .array(
      z.strictObject({
        /** From 1, as shown; 0: the model lists it itself. */
        number: z.number().int().min(0),
        requirement: z.string().max(500),
        reason: z.string().max(1_000),
        file: z.string().max(500).nullable(),
        line: z.number().int().nullable(),
        state: z.enum(REQUIREMENT_STATES),
      }),
    )
    .max(MAX_REQUIREMENTS * 2),
  concerns: z
    .array(
      z.strictObject({
        kind: z.enum(['hard_coded_answer', 'changed_expectation', 'weakened_behaviour']),
        reason: z.string().max(1_000),
        file: z.string().max(500).nullable(),
        line: z.number().int().nullable(),
      }),
    )
    .max(20),
  confidence: JudgeConfidence,
});
type RequirementsReviewAnswer = z.output<typeof RequirementsReviewAnswer>;

const describePlace = ({
  file,
  line,
}: {
  readonly file: string | null;
  readonly line: number | null;
}): string => (file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`);

/** Returns each requirement once, in the order of the task; one that the answer leaves out cannot be told. */
function listReviewedRequirements(
  { requirements: answered }: Pick<RequirementsReviewAnswer, 'requirements'>,
  asked: readonly string[],
): ReviewedRequirement[] {
  const own = asked.length === 0 ? answered.map((each, index) => ({ ...each, number: index + 1 })) : answered;
  const texts = asked.length === 0 ? answered.map(({ requirement }) => requirement) : asked;
  return texts.slice(0, MAX_REQUIREMENTS).map((requirement, index) => {
    const all = own.filter(({ number }) => number === index + 1);
    // Several answers to one requirement: the one that doubts most counts.
    const found =
      all.find(({ state }) => state === 'not_met') ??
      all.find(({ state }) => state === 'cannot_tell') ??
      all[0];
    return found
      ? {
          requirement: truncateText(requirement, MAX_TEXT),
          state: found.state,
          file: found.file,
          line: found.line,
          reason: truncateText(found.reason, MAX_TEXT),
        }
      : {
          requirement: truncateText(requirement, MAX_TEXT),
          state: 'cannot_tell',
          file: null,
          line: null,
          reason: 'the answer leaves it out',
        };
  });
}

const CONCERNS = {
  hard_coded_answer: 'hard-coded answer',
  changed_expectation: 'changed expectation',
  weakened_behaviour: 'weakened behaviour',
} as const;

const skipped = (code: Exclude<SkipReason['code'], 'stopped_at_node'>): RequirementsReviewDecision => ({
  outcome: 'skipped',
  reason: describeReviewDecisionReason({ code }),
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
  if (!isServed) return { outcome: 'could_not_run', reason: explainMissingJudgeModel('requirements_review') };
  const why = task.hidden_tests ? [] : ['the task has no hidden test'];
  if (notes > 0) why.push(`rules have left ${notes} ${notes === 1 ? 'note' : 'notes'}`);
  return { outcome: 'asked', reason: `asked: ${why.join(', and ')}` };
}

interface RequirementsReviewInput {
  /** The reason for asking. */
  readonly because: string;
  /** Requirements of the task; none: the model lists them itself. */
  readonly requirements?: readonly string[];
}

/**
 * Asks for each requirement whether the work meets it. A requirement that is not met, a concern and no answer need a reviewer:
 * the requirements review lets no work out, and fails none.
 */
export const REQUIREMENTS_REVIEWER = {
  ...JUDGE_REVIEWER_DEFAULTS,
  kind: 'requirements_review',
  purpose: 'requirements_review',
  prompt: JUDGE_PROMPTS.requirements_review,
  answerSchema: () => RequirementsReviewAnswer,
  maxTokens: 6_000,
  maxInputTokens: 28_000,
  shows: ['task', 'requirement', 'observed', 'rule_notes', 'change_context', 'diff', 'omitted'],
  pieces: ({ requirements = [] }) =>
    requirements.length === 0
      ? []
      : [
          {
            kind: 'requirement',
            label: 'requirements of the task',
            text: requirements.map((text, index) => `${index + 1}. ${text}`).join('\n'),
          },
        ],
  head: () => ({ subject: 'requirements review' }),
  because: ({ because }) => because,
  decide: (answer, { requirements: asked = [] }) => {
    const { concerns, confidence } = answer;
    const requirements = listReviewedRequirements(answer, asked);
    const count = (state: ReviewedRequirement['state']): ReviewedRequirement[] =>
      requirements.filter((each) => each.state === state);
    const [met, notMet, unclear] = [count('met'), count('not_met'), count('cannot_tell')];
    const isClear = notMet.length === 0 && concerns.length === 0 && met.length > 0;
    return {
      outcome: isClear ? 'passed' : 'failed',
      verdict: deriveOpinionVerdict(isClear, confidence) === 'pass' ? 'pass' : 'refer',
      confidence,
      requirements,
      reasons: [
        ...notMet.map((each) => `not met: ${each.requirement}${describePlace(each)}: ${each.reason}`),
        ...concerns.map(
          (each) => `${CONCERNS[each.kind]}${describePlace(each)}: ${truncateText(each.reason, MAX_TEXT)}`,
        ),
        `${met.length} of ${requirements.length} requirements are met`,
        ...unclear.map((each) => `cannot tell: ${each.requirement}: ${each.reason}`),
      ].slice(0, MAX_REASONS),
    };
  },
  absent: () => 'hold',
} satisfies JudgingReviewer<typeof RequirementsReviewAnswer, RequirementsReviewInput, unknown>;

const TaskRequirementsAnswer = z.strictObject({ requirements: z.array(z.string().max(500)).max(100) });

/** Splits a task into atomic requirements. It decides nothing: without its answer the review lists them itself. */
export const TASK_DECOMPOSITION_REVIEWER = {
  kind: 'decomposition',
  purpose: 'decomposer',
  family: 'any',
  prompt: JUDGE_PROMPTS.task_requirements,
  answerSchema: () => TaskRequirementsAnswer,
  maxTokens: 2_048,
  timeoutMs: () => 40_000,
  shows: ['task'],
} satisfies ModelReviewer<typeof TaskRequirementsAnswer, undefined>;

/** Decomposes the task, then asks about each requirement; the receipt is that of both calls. */
export const runRequirementsReview = (
  because: string,
  load: () => Promise<ReviewMaterial>,
  context: ReviewerContext,
): Promise<Judgement> => {
  let input: RequirementsReviewInput = { because };
  const reviewer = {
    ...REQUIREMENTS_REVIEWER,
    decide: (answer: RequirementsReviewAnswer) => REQUIREMENTS_REVIEWER.decide(answer, input),
  };
  return runReviewerWithQuestions<
    typeof RequirementsReviewAnswer,
    RequirementsReviewInput,
    unknown,
    RequirementsReviewAnswer
  >(reviewer, input, context, async (model) => {
    const material = await load();
    const decomposer = context.models.decomposer ?? model;
    const split = await askModelAsReviewer(
      TASK_DECOMPOSITION_REVIEWER,
      undefined,
      material,
      decomposer,
      context,
    );
    const requirements =
      'answer' in split ? split.answer.requirements.filter((text) => text.trim() !== '') : [];
    input = { because, requirements: requirements.slice(0, MAX_REQUIREMENTS) };
    const reply = await askModelAsReviewer(REQUIREMENTS_REVIEWER, input, material, model, context);
    return {
      ...reply,
      receipt: {
        ...combineModelCallReceipts(reply.receipt, split.receipt),
        duration_ms: reply.receipt.duration_ms + split.receipt.duration_ms,
      },
    };
  });
};

/** The record of a review that was not asked for: it was not needed, or no model is configured. */
export const createUnaskedRequirementsJudgement = (
  outcome: Exclude<RequirementsReviewDecision['outcome'], 'asked'>,
  because: string,
): Judgement => ({ ...createSkippedJudgement(REQUIREMENTS_REVIEWER, undefined, because), outcome });
