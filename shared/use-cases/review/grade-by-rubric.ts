import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { GradingRecord } from '../../contract/rubric/grading-record.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import { sha256 } from '../../lib/sha256.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import { chooseReviewerModels } from '../../reviews/engine/choose-models.ts';
import { describeReviewDecisionReason } from '../../reviews/engine/decision-reason.ts';
import {
  askReviewerWithoutJudgement,
  createJudgementOnAnswer,
  createJudgementWithoutOpinion,
  createSkippedJudgement,
  type ReviewerContext,
  runSingleQuestionReviewer,
} from '../../reviews/engine/engine.ts';
import type { MissingOpinionReason } from '../../reviews/engine/missing-opinion.ts';
import type { PieceKind, ReviewPiece } from '../../reviews/engine/review-piece.ts';
import {
  CRITERIA_DECOMPOSITION_REVIEWER,
  createProbePerCriterion,
  probesFromAnswer,
  truncateCriteria,
} from '../../reviews/reviewers/criteria-decomposition.ts';
import { formGradingOpinion, RUBRIC_GRADING_REVIEWER } from '../../reviews/reviewers/rubric-grading.ts';
import { listRubricGradedWorkflowNodes } from '../../reviews/rubric/grading.ts';
import { type AgentHandoff, createAgentHandoff } from '../../reviews/rubric/handoff.ts';
import { gradeByTextMatch } from '../../reviews/rubric/heuristic-grader.ts';

/** The work, as the evaluator is given it. */
export interface WorkToGrade {
  readonly task: Task;
  readonly attempt: Attempt;
  /** What the task says: not part of the work. */
  readonly taskPieces: readonly ReviewPiece[];
  /** The work itself, by kind of piece. */
  readonly payload: Readonly<Partial<Record<PieceKind, string>>>;
}

/** Probes that have room in the record, and characters of each. */
const KEPT_PROBES = 20;
const KEPT_TEXT = 300;

/** Who did the work of an attempt: an outside agent by its own name, else as the workflow assigns it. */
export const generatorAgentId = (
  task: Pick<Task, 'runner'>,
  { lease_holder: holder }: Pick<Attempt, 'lease_holder'>,
  { generator_agent: generator }: Pick<ResolvedVerification, 'generator_agent'>,
): string => (task.runner === 'external' ? holder : generator);

const handoffRecord = (handoff: AgentHandoff): NonNullable<GradingRecord['handoff']> => {
  const { payload, acceptance_probes: probes, rubric: _rubric, artifact_refs, ...rest } = handoff;
  return {
    ...rest,
    artifact_refs: [...artifact_refs],
    probes: probes
      .slice(0, KEPT_PROBES)
      .map(({ id, probe_text }) => ({ id, probe_text: truncateToBytes(probe_text, KEPT_TEXT) })),
    probes_omitted: Math.max(0, probes.length - KEPT_PROBES),
    payload_sha256: sha256(JSON.stringify(payload)),
  };
};

/** Grades the work at one verification node. Each model that was asked, and what it took, is a judgement of its own. */
async function gradeAtNode(
  of: ResolvedVerification,
  { task, attempt, taskPieces, payload }: WorkToGrade,
  context: ReviewerContext,
): Promise<Judgement[]> {
  const { rubric, evaluator_agent: evaluator } = of;
  const criteria = task.acceptance_criteria;
  const ungraded = (absence: MissingOpinionReason): Judgement =>
    createJudgementWithoutOpinion(RUBRIC_GRADING_REVIEWER, { of }, absence);
  const unreadable = (why: string): Judgement =>
    ungraded({ code: 'unreadable_material', outcome: 'could_not_run', why });
  if (!rubric || evaluator === null) return [unreadable('the node has no rubric or no evaluator')];
  const generator = generatorAgentId(task, attempt, of);
  if (generator === evaluator) return [ungraded({ code: 'self_review', agent: generator })];
  // No model is paid for probes where none may grade them.
  for (const [asked, reviewer] of [
    [of.decomposer, CRITERIA_DECOMPOSITION_REVIEWER],
    [of.grader, RUBRIC_GRADING_REVIEWER],
  ] as const) {
    const chosen = asked === 'llm' ? chooseReviewerModels(reviewer, context) : null;
    if (chosen && 'absence' in chosen) return [ungraded(chosen.absence)];
  }
  const made: Judgement[] = [];
  let probes = createProbePerCriterion(criteria, task.id);
  if (of.decomposer === 'llm' && criteria.length > 0) {
    if (!truncateCriteria(criteria))
      return [
        unreadable(
          `the criteria could not be taken apart: ${criteria.length} are more than a model can be shown at once`,
        ),
      ];
    const input = { of, criteria, taskId: task.id };
    const review = await askReviewerWithoutJudgement(
      CRITERIA_DECOMPOSITION_REVIEWER,
      input,
      { pieces: [] },
      context,
    );
    const found = 'answer' in review ? probesFromAnswer(review.answer, input) : review.absence;
    const { receipt, injections } = review;
    const result = 'code' in found ? { absence: found } : { answer: found };
    const decomposed = createJudgementOnAnswer(CRITERIA_DECOMPOSITION_REVIEWER, input, {
      receipt,
      injections,
      ...result,
    });
    made.push(decomposed);
    if ('code' in found) return [...made, unreadable(decomposed.reasons.join(' '))];
    probes = found;
  }
  const at = context.now();
  const artifact = createAgentHandoff({
    created_at: at.toISOString(),
    from_agent_id: generator,
    to_agent_id: evaluator,
    from_stage: of.graded_step,
    to_stage: of.node,
    payload: { ...payload },
    artifact_refs: [attempt.artifact?.patch_key, attempt.verification?.key].filter(
      (ref) => ref !== undefined,
    ),
    acceptance_probes: probes,
    rubric,
  });
  const handoff = handoffRecord(artifact);
  const agents = { generator_agent_id: generator, evaluator_agent_id: evaluator };
  const grading = { artifact, rubric, probes, ...agents, at };
  const early =
    of.grader === 'heuristic'
      ? {
          ...formGradingOpinion(of, gradeByTextMatch(grading), handoff),
          request_reason: `asked: the workflow has the verification node ${of.node}`,
        }
      : null;
  const load = () => ({ pieces: taskPieces });
  return [
    ...made,
    await runSingleQuestionReviewer(
      RUBRIC_GRADING_REVIEWER,
      { ...grading, of, handoff, early },
      load,
      context,
    ),
  ];
}

/** Grades the work at each verification node that it comes to: the first that it does not pass is the last. */
export async function gradeAtVerificationNodes(
  work: WorkToGrade,
  context: ReviewerContext,
): Promise<Judgement[]> {
  const made: Judgement[] = [];
  let stopped: string | null = null;
  for (const of of listRubricGradedWorkflowNodes(work.task)) {
    if (stopped !== null) {
      const because = describeReviewDecisionReason({ code: 'stopped_at_node', node: stopped });
      made.push(createSkippedJudgement(RUBRIC_GRADING_REVIEWER, { of }, because));
      continue;
    }
    const judgements = await gradeAtNode(of, work, context);
    made.push(...judgements);
    if (judgements.some(({ verdict }) => verdict !== 'pass')) stopped = of.node;
  }
  return made;
}
