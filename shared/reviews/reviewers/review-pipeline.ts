import * as z from 'zod';
import { type Judgement, USAGE_WITHOUT_MODEL_CALL } from '../../contract/judgement/judgement.ts';
import type {
  PipelineReviewDecision,
  PipelineReviewer,
  PipelineStage,
  ReviewPipeline,
} from '../../contract/judgement/review-pipeline-schema.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';
import { chooseReviewerModels } from '../engine/choose-models.ts';
import { describeReviewDecisionReason } from '../engine/decision-reason.ts';
import {
  askModelAsReviewer,
  createJudgementOnAnswer,
  createJudgementWithoutOpinion,
  createSkippedJudgement,
  type ReviewerContext,
} from '../engine/engine.ts';
import type { MissingOpinionReason } from '../engine/missing-opinion.ts';
import { verdictForMissingOpinion } from '../engine/opinion-verdict.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import type { JudgingReviewer } from '../engine/reviewer.ts';
import type { Vote } from '../engine/votes.ts';
import { JUDGEMENT_TIMEOUT_MS } from '../judging/judging-limits.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { JudgeConfidence } from './judge-answer.ts';
import { decideReviewPipeline, decideReviewStageVotes, type StageDecision } from './stage-decision.ts';

const ReviewerAnswer = z.strictObject({
  issues: z.array(z.string().max(300)).max(3),
  verdict: z.enum(['approve', 'request_changes']),
  confidence: JudgeConfidence,
});

interface StageReviewerSubject {
  readonly stage: PipelineStage;
  readonly reviewer: PipelineReviewer;
}
interface StageReviewerInput extends StageReviewerSubject {
  readonly because: string;
  readonly timeoutMs: number;
}

/** A reviewer that the base names: a vote, which counts for its stage. */
export const PIPELINE_STAGE_REVIEWER_DEFINITION = {
  kind: 'review',
  purpose: 'review',
  family: 'known_other',
  prompt: JUDGE_PROMPTS.review_stage,
  answerSchema: () => ReviewerAnswer,
  maxTokens: 512,
  timeoutMs: ({ timeoutMs }) => timeoutMs,
  shows: ['reviewer_instructions', 'task', 'observed', 'diff'],
  pieces: ({ reviewer: { prompt_template: text } }) =>
    text === undefined ? [] : [{ kind: 'reviewer_instructions', label: 'what you are to look for', text }],
  head: ({ stage, reviewer }) => ({ subject: `review: ${stage.name}/${reviewer.role}` }),
  because: ({ because }) => because,
  decide: ({ verdict, confidence, issues }) => ({
    outcome: verdict === 'approve' ? 'passed' : 'failed',
    verdict: 'pass',
    confidence,
    reasons: issues,
  }),
  absent: () => 'abstain',
} satisfies JudgingReviewer<typeof ReviewerAnswer, StageReviewerInput, StageReviewerSubject>;

/** The pipeline as a whole: it asks no model itself. */
export const REVIEW_PIPELINE_JUDGEMENT_FIELDS = {
  kind: 'review_pipeline',
  head: () => ({ subject: 'review pipeline' }),
  absent: ({ on_error }: Pick<PipelineReviewDecision, 'on_error'>) => on_error,
} as const;

/** Less than this in milliseconds, and no model answers. */
const MIN_QUESTION_MS = 1_000;

export interface ReviewPipelineContext extends ReviewerContext {
  readonly pipeline: ReviewPipeline;
  readonly pieces: readonly ReviewPiece[];
  /** The reason for asking, for the record. */
  readonly because: string;
}

/** The vote that a judgement is; null: an abstention. */
const voteOf = ({ outcome, confidence }: Judgement): Vote =>
  confidence === null ? null : { approves: outcome === 'passed', confidence };

/** Runs the reviewers of a pipeline, stage by stage, until it is decided; the last judgement is that of the whole. */
export async function runReviewPipeline(context: ReviewPipelineContext): Promise<Judgement[]> {
  const { pipeline } = context;
  const chosen = chooseReviewerModels(PIPELINE_STAGE_REVIEWER_DEFINITION, context);
  if ('absence' in chosen)
    return [createJudgementWithoutOpinion(REVIEW_PIPELINE_JUDGEMENT_FIELDS, pipeline, chosen.absence)];
  const until = performance.now() + JUDGEMENT_TIMEOUT_MS;
  const judgements: Judgement[] = [];
  const counts: StageDecision[] = [];
  let turn = 0;
  for (const stage of pipeline.stages) {
    if (decideReviewPipeline(pipeline, counts) !== 'undecided') {
      judgements.push(
        ...stage.agents.map((reviewer) =>
          createSkippedJudgement(
            PIPELINE_STAGE_REVIEWER_DEFINITION,
            { stage, reviewer },
            describeReviewDecisionReason({ code: 'decided_before' }),
          ),
        ),
      );
      continue;
    }
    const first = turn;
    turn += stage.agents.length;
    const made = await mapConcurrently(stage.parallelism, stage.agents, (reviewer, index) =>
      runStageReviewer({ stage, reviewer }, chosen.models, first + index, until, context),
    );
    judgements.push(...made);
    counts.push(decideReviewStageVotes(stage, made.map(voteOf)));
  }
  return [...judgements, pipelineJudgement(context, counts, judgements)];
}

/** The model that a reviewer names, among those that may be asked; without a name they take turns. */
function modelFor(
  { model: named }: PipelineReviewer,
  models: readonly JudgeModel[],
  turn: number,
  { models: configured, writer }: ReviewPipelineContext,
): JudgeModel | MissingOpinionReason {
  const found =
    named === undefined ? models[turn % models.length] : models.find(({ model }) => model === named);
  if (found) return found;
  return configured.review?.some(({ model }) => model === named)
    ? { code: 'same_family', model: named ?? '', writer: writer ?? '' }
    : { code: 'no_model', purpose: 'review', named };
}

async function runStageReviewer(
  of: StageReviewerSubject,
  models: readonly JudgeModel[],
  turn: number,
  until: number,
  context: ReviewPipelineContext,
): Promise<Judgement> {
  const model = modelFor(of.reviewer, models, turn, context);
  if ('code' in model) return createJudgementWithoutOpinion(PIPELINE_STAGE_REVIEWER_DEFINITION, of, model);
  const timeoutMs = Math.floor(until - performance.now());
  if (timeoutMs < MIN_QUESTION_MS)
    return createJudgementWithoutOpinion(PIPELINE_STAGE_REVIEWER_DEFINITION, of, { code: 'no_time' });
  const input = { ...of, because: context.because, timeoutMs };
  return createJudgementOnAnswer(
    PIPELINE_STAGE_REVIEWER_DEFINITION,
    input,
    await askModelAsReviewer(PIPELINE_STAGE_REVIEWER_DEFINITION, input, context, model, context),
  );
}

/** The judgement of the whole: the only one that makes something of the verdict. What its reviewers cost is theirs. */
function pipelineJudgement(
  { pipeline, because }: ReviewPipelineContext,
  counts: readonly StageDecision[],
  reviewers: readonly Judgement[],
): Judgement {
  const count = decideReviewPipeline(pipeline, counts);
  const injections = [...new Set(reviewers.flatMap((each) => each.injections))];
  const stages = pipeline.stages
    .map(({ name }, index) => `${name} ${counts[index] ?? 'not asked'}`)
    .join(', ');
  const issues = reviewers
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ subject, reasons }) =>
      reasons.flatMap((reason) => (injections.includes(reason) ? [] : `${subject}: ${reason}`)),
    )
    .slice(0, 10);
  const of = {
    ...USAGE_WITHOUT_MODEL_CALL,
    kind: REVIEW_PIPELINE_JUDGEMENT_FIELDS.kind,
    ...REVIEW_PIPELINE_JUDGEMENT_FIELDS.head(),
    calibration: null,
    request_reason: because,
    injections,
  };
  if (count === 'undecided') {
    const why = reviewers.find(({ outcome }) => outcome !== 'passed' && outcome !== 'failed');
    const outcome =
      why?.outcome === 'timed_out' || why?.outcome === 'infra_failed' ? why.outcome : 'could_not_run';
    const reasons = [
      `undecided: ${stages}`,
      ...(why?.reasons ?? ['reviewers were not sure enough']),
      ...issues,
    ];
    return { ...of, outcome, verdict: verdictForMissingOpinion(pipeline.on_error), reasons };
  }
  const passed = count === 'passed';
  const held = passed && injections.length > 0;
  return {
    ...of,
    outcome: passed ? 'passed' : 'failed',
    verdict: held ? 'refer' : passed || !pipeline.block_on_fail ? 'pass' : 'fail',
    reasons: [`${count}: ${stages}`, ...issues, ...injections],
  };
}
