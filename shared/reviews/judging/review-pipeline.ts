import * as z from 'zod';
import { type Judgement, NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import type {
  PipelineReviewer,
  PipelineStage,
  ReviewPipeline,
} from '../../contract/judgement/review-pipeline-schema.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';
import { truncateText } from '../../lib/truncate.ts';
import { describeAbsence, missingModelInstruction } from '../engine/absence.ts';
import type { AskModel } from '../engine/ask-model-port.ts';
import { modelReceipt } from '../engine/engine.ts';
import { verdictWithoutOpinion } from '../engine/opinion-verdict.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { JUDGEMENT_TIMEOUT_MS } from './judging-limits.ts';
import { REVIEW_PIPELINE_HEAD, unaskedPipelineJudgement } from './pipeline-judgement.ts';
import { PROMPTS } from './prompts.ts';
import { eligibleReviewerModels, type ReviewerModel } from './reviewer-model.ts';
import {
  decidePipeline,
  decideStage,
  MIN_VOTE_CONFIDENCE,
  type ReviewerApproval,
  type StageDecision,
} from './stage-decision.ts';

export const ReviewerAnswer = z.strictObject({
  issues: z.array(z.string().max(300)).max(3),
  verdict: z.enum(['approve', 'request_changes']),
  confidence: z.number().min(0).max(1),
});

export interface ReviewPipelineContext {
  readonly pipeline: ReviewPipeline;
  /** Of the deployment, for this purpose. */
  readonly models: readonly JudgeModel[];
  /** The model that wrote the work; null: nobody knows. */
  readonly writer: string | null;
  readonly pieces: readonly ReviewPiece[];
  readonly request_reason: string;
  readonly ask: AskModel;
  readonly now: () => Date;
}

interface ReviewerVote {
  readonly approval: ReviewerApproval;
  readonly judgement: Judgement;
}

/** Less than this in milliseconds, and no model answers. */
const LEAST_MS = 1_000;

/**
 * Asks the reviewers of a pipeline, stage by stage, until it is decided. Each has its own judgement, which counts by way of its stage
 * alone; the last one is that of the whole.
 */
export async function askReviewPipeline(reviewing: ReviewPipelineContext): Promise<Judgement[]> {
  const { pipeline, models, writer } = reviewing;
  if (models.length === 0)
    return [unaskedPipelineJudgement(pipeline, 'could_not_run', missingModelInstruction('review'))];
  if (writer === null)
    return [unaskedPipelineJudgement(pipeline, 'could_not_run', describeAbsence({ code: 'unknown_writer' }))];
  const eligible = eligibleReviewerModels(models, writer);
  const until = performance.now() + JUDGEMENT_TIMEOUT_MS;
  const judgements: Judgement[] = [];
  const counts: StageDecision[] = [];
  let turn = 0;
  for (const stage of pipeline.stages) {
    if (decidePipeline(pipeline, counts) !== 'undecided') {
      judgements.push(
        ...stage.agents.map((each) =>
          unaskedReviewerJudgement(stage, each, 'skipped', 'not asked: it was decided before'),
        ),
      );
      continue;
    }
    const first = turn;
    turn += stage.agents.length;
    const votes = await mapConcurrently(stage.parallelism, stage.agents, (each, index) =>
      askReviewer(stage, each, chooseReviewerModel(each, eligible, first + index), until, reviewing),
    );
    judgements.push(...votes.map(({ judgement }) => judgement));
    counts.push(
      decideStage(
        stage,
        votes.map(({ approval }) => approval),
      ),
    );
  }
  return [...judgements, pipelineJudgement(reviewing, counts, judgements)];
}

/** The model that a reviewer names, among those that may review this writer; without a name they take turns. */
const chooseReviewerModel = (
  { model }: PipelineReviewer,
  eligible: readonly ReviewerModel[],
  turn: number,
): JudgeModel | null =>
  (model === undefined
    ? eligible[turn % eligible.length]
    : eligible.find((each) => each.model.model === model)
  )?.model ?? null;

const { id, version, sha256 } = PROMPTS.review_stage;
const headOf = (stage: PipelineStage, { role }: PipelineReviewer) => ({
  kind: 'review' as const,
  subject: `review: ${stage.name}/${role}`,
  prompt: { id, version, sha256 },
  calibration: null,
  // It counts by way of its stage.
  verdict: 'pass' as const,
});

const unaskedReviewerJudgement = (
  stage: PipelineStage,
  reviewer: PipelineReviewer,
  outcome: 'skipped' | 'could_not_run' | 'timed_out',
  because: string,
): Judgement => ({ ...NO_CALL_USAGE, ...headOf(stage, reviewer), outcome, reasons: [because], because });

async function askReviewer(
  stage: PipelineStage,
  reviewer: PipelineReviewer,
  model: JudgeModel | null,
  until: number,
  { pieces, writer, request_reason, ask, now }: ReviewPipelineContext,
): Promise<ReviewerVote> {
  const nobody = (outcome: 'could_not_run' | 'timed_out', why: string): ReviewerVote => ({
    approval: null,
    judgement: unaskedReviewerJudgement(stage, reviewer, outcome, why),
  });
  if (model === null)
    return nobody(
      'could_not_run',
      `${reviewer.model ?? 'no model'} of \`review\` may review what ${writer} has written`,
    );
  const timeoutMs = Math.floor(until - performance.now());
  if (timeoutMs < LEAST_MS) return nobody('timed_out', 'no time was left to ask');
  const own = reviewer.prompt_template;
  const question = reviewQuestion(
    { prompt: PROMPTS.review_stage, answerSchema: ReviewerAnswer, maxTokens: 512, timeoutMs },
    [
      ...(own === undefined
        ? []
        : [{ kind: 'reviewer_instructions' as const, label: 'what you are to look for', text: own }]),
      ...pieces,
    ],
  );
  const answered = await ask(model, question);
  const asked = {
    ...headOf(stage, reviewer),
    injections: [...question.injections],
    because: request_reason,
    ...modelReceipt(model, PROMPTS.review_stage, answered, now()),
  };
  if ('outcome' in answered)
    return {
      approval: null,
      judgement: {
        ...asked,
        outcome: answered.outcome,
        confidence: null,
        reasons: [truncateText(answered.why, 300)],
      },
    };
  const { verdict, confidence, issues } = answered.value;
  const approves = verdict === 'approve';
  return {
    approval: confidence < MIN_VOTE_CONFIDENCE ? null : approves,
    judgement: {
      ...asked,
      outcome: approves ? 'passed' : 'failed',
      confidence,
      reasons: issues.map((issue) => issue.toWellFormed()),
    },
  };
}

/** The judgement of the whole: the only one that makes something of the verdict. What its reviewers cost is theirs. */
function pipelineJudgement(
  { pipeline, request_reason }: ReviewPipelineContext,
  counts: readonly StageDecision[],
  reviewers: readonly Judgement[],
): Judgement {
  const count = decidePipeline(pipeline, counts);
  const injections = [...new Set(reviewers.flatMap((each) => each.injections))];
  const stages = pipeline.stages
    .map(({ name }, index) => `${name} ${counts[index] ?? 'not asked'}`)
    .join(', ');
  const issues = reviewers
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ subject, reasons }) => reasons.map((reason) => `${subject}: ${reason}`))
    .slice(0, 10);
  const of = {
    ...REVIEW_PIPELINE_HEAD,
    ...NO_CALL_USAGE,
    prompt: null,
    because: request_reason,
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
    return { ...of, outcome, verdict: verdictWithoutOpinion(pipeline.on_error), reasons };
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
