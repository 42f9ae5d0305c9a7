import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import { type Judgement, NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { GradingRecord } from '../../contract/rubric/grading-record.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import {
  createEmptyGrading,
  createUngradedJudgement,
  gradingSubject,
  listGradedNodes,
} from '../../control/workflow/gradings.ts';
import { sha256 } from '../../lib/sha256.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import { describeAbsence } from '../../reviews/engine/absence.ts';
import type { AskModel } from '../../reviews/engine/ask-model-port.ts';
import { isSameFamily } from '../../reviews/engine/choose-models.ts';
import { type ModelReceipt, modelReceipt } from '../../reviews/engine/engine.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import { PROMPTS } from '../../reviews/judging/prompts.ts';
import { createVerifier, MissingModelError } from '../../reviews/rubric/create-verifier.ts';
import { DecompositionError } from '../../reviews/rubric/criteria-decomposer.ts';
import { createHandoff, type HandoffArtifact } from '../../reviews/rubric/handoff.ts';
import type { GradingResult } from '../../reviews/rubric/rubric-grader.ts';
import { unexpectedGradeMessages, weightedScore } from '../../reviews/rubric/weighted-score.ts';

export interface GradingContext {
  readonly ask: AskModel;
  readonly models: Pick<JudgeModels, 'decomposer' | 'rubric'>;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: string | null;
  readonly now: () => Date;
}

/** The work, as the evaluator is given it. */
export interface GradedWork {
  readonly task: Task;
  readonly attempt: Attempt;
  /** What the task says: not part of the work. */
  readonly taskPieces: readonly ReviewPiece[];
  readonly payload: Readonly<Record<string, string>>;
}

/** Probes that have room in the record, and characters of each. */
const KEPT_PROBES = 20;
const KEPT_TEXT = 300;
const KEPT_FINDINGS = 10;

/** Who did the work of an attempt: an outside agent by its own name, else as the workflow assigns it. */
export const generatorAgentId = (
  task: Pick<Task, 'runner'>,
  { holder }: Pick<Attempt, 'holder'>,
  { generator }: Pick<ResolvedVerification, 'generator'>,
): string => (task.runner === 'external' ? holder : generator);

const handoffRecord = (handoff: HandoffArtifact): NonNullable<GradingRecord['handoff']> => {
  const { payload, acceptance_probes: probes, rubric: _rubric, artifact_refs, ...rest } = handoff;
  return {
    ...rest,
    artifact_refs: [...artifact_refs],
    probes: probes
      .slice(0, KEPT_PROBES)
      .map(({ id, probe_text }) => ({ id, probe_text: truncateToBytes(probe_text, KEPT_TEXT) })),
    more_probes: Math.max(0, probes.length - KEPT_PROBES),
    payload_sha256: sha256(JSON.stringify(payload)),
  };
};

const NO_MODEL_CALL: ModelReceipt = {
  model: null,
  family: null,
  prompt: null,
  calibration: null,
  calls: 0,
  tokens: null,
  cost_usd: null,
  duration_ms: 0,
};

/** What a grading makes of the verdict: an attempt to talk the grader over is for a person, a weighted score counts where the rubric says so. */
function verdictOfGrading(
  of: ResolvedVerification,
  grading: Extract<GradingResult, { result: unknown }>,
  score: number | null,
): Pick<Judgement, 'verdict' | 'reasons'> {
  const { result, injections } = grading;
  const { fails_below: floor } = of.rubric ?? {};
  const isLow = floor !== undefined && score !== null && score < floor;
  const verdict = result.verdict === 'pass' && isLow ? 'fail' : result.verdict;
  const low = isLow ? [`the weighted score ${score.toFixed(3)} is below ${floor} of the rubric`] : [];
  return {
    verdict: verdict === 'pass' && injections.length > 0 ? 'refer' : verdict,
    reasons: [...low, ...result.findings.slice(0, KEPT_FINDINGS), ...injections].map((each) =>
      truncateToBytes(each, 1_000),
    ),
  };
}

/** Has the work graded at one verification node. Each model that was asked, and what it took, is a judgement of its own. */
async function gradeAtNode(
  of: ResolvedVerification,
  { task, attempt, taskPieces, payload }: GradedWork,
  context: GradingContext,
): Promise<Judgement[]> {
  const { rubric, evaluator } = of;
  if (!rubric || evaluator === null)
    return [createUngradedJudgement(of, 'could_not_run', 'the node has no rubric or no evaluator')];
  const { decomposer: decomposerModel, rubric: graderModel } = context.models;
  const asks = of.grader === 'llm' || of.decomposer === 'llm';
  if (asks && context.budgetRefusal !== null)
    return [createUngradedJudgement(of, 'could_not_run', context.budgetRefusal)];
  const generator = generatorAgentId(task, attempt, of);
  if (
    of.grader === 'llm' &&
    graderModel &&
    attempt.model !== null &&
    isSameFamily(graderModel, attempt.model)
  )
    return [
      createUngradedJudgement(
        of,
        'could_not_run',
        describeAbsence({ code: 'same_family', model: graderModel.model, writer: attempt.model }),
      ),
    ];
  const made: Judgement[] = [];
  try {
    const parts = createVerifier(of, { ask: context.ask, decomposer: decomposerModel, grader: graderModel });
    const { probes, receipt } = await parts.decomposer.decompose(task.acceptance_criteria, {
      taskId: task.id,
    });
    if (receipt && decomposerModel)
      made.push({
        ...decomposition(of),
        ...modelReceipt(decomposerModel, PROMPTS.atomic_probes, receipt, context.now()),
        outcome: 'passed',
        verdict: 'pass',
        reasons: [`${probes.length} probes of ${task.acceptance_criteria.length} criteria`],
      });
    const artifact = createHandoff({
      created_at: context.now().toISOString(),
      from_agent_id: generator,
      to_agent_id: evaluator,
      from_stage: of.from_stage,
      to_stage: of.node,
      payload: { ...payload },
      artifact_refs: [attempt.artifact?.patch_key, attempt.verification?.key].filter(
        (ref) => ref !== undefined,
      ),
      acceptance_probes: [...probes],
      rubric,
    });
    const grading = await parts.grader.grade({
      artifact,
      rubric,
      probes,
      taskPieces,
      generator_agent_id: generator,
      evaluator_agent_id: evaluator,
      at: context.now(),
    });
    const because = `asked: the workflow has the verification node ${of.node}`;
    const asked =
      grading.receipt && graderModel
        ? modelReceipt(graderModel, PROMPTS.rubric_verdict, grading.receipt, context.now())
        : NO_MODEL_CALL;
    const handoff = handoffRecord(artifact);
    if ('outcome' in grading) {
      const none = createUngradedJudgement(of, grading.outcome, grading.why);
      made.push({ ...none, ...asked, because, grading: { ...createEmptyGrading(of), handoff } });
    } else {
      const { result } = grading;
      const score = weightedScore(rubric, result.per_criterion_grades);
      const word = verdictOfGrading(of, grading, score);
      made.push({
        ...NO_CALL_USAGE,
        kind: 'verification',
        subject: gradingSubject(of),
        ...asked,
        outcome: result.verdict === 'pass' && word.verdict !== 'fail' ? 'passed' : 'failed',
        confidence: result.confidence,
        injections: [...grading.injections],
        because,
        verdict: word.verdict,
        reasons: [...word.reasons, ...unexpectedGradeMessages(rubric, result.per_criterion_grades)],
        grading: {
          ...createEmptyGrading(of),
          grades: { ...result.per_criterion_grades },
          weighted_score: score,
          handoff,
        },
      });
    }
    return made;
  } catch (error) {
    return [...made, ...ungradedJudgements(of, error, context)];
  }
}

const decomposition = (of: ResolvedVerification) => ({
  ...NO_CALL_USAGE,
  kind: 'decomposition' as const,
  subject: `probes of ${of.node}`,
  because: `asked: ${of.node} has its criteria taken apart`,
  grading: createEmptyGrading(of),
  calibration: null,
});

/** What stands in the place of a grading that could not be made. Faults of ours are thrown on. */
function ungradedJudgements(
  of: ResolvedVerification,
  error: unknown,
  { models, now }: GradingContext,
): Judgement[] {
  if (error instanceof MissingModelError)
    return [createUngradedJudgement(of, 'could_not_run', error.message)];
  if (error instanceof Refusal && error.code === 'self_review')
    return [createUngradedJudgement(of, 'could_not_run', error.message)];
  if (error instanceof DecompositionError) {
    const why = `the criteria could not be taken apart: ${error.message}`;
    const spent = error.cause as ModelCallUsage | undefined;
    const asked =
      spent && models.decomposer
        ? [
            {
              ...decomposition(of),
              ...modelReceipt(models.decomposer, PROMPTS.atomic_probes, spent, now()),
              outcome: 'could_not_run' as const,
              verdict: 'refer' as const,
              reasons: [why],
            },
          ]
        : [];
    return [...asked, createUngradedJudgement(of, 'could_not_run', why)];
  }
  throw error;
}

/** Has the work graded at each verification node that it comes to: the first that it does not pass is the last. */
export async function gradeByRubric(work: GradedWork, context: GradingContext): Promise<Judgement[]> {
  const made: Judgement[] = [];
  let stopped: string | null = null;
  for (const of of listGradedNodes(work.task)) {
    if (stopped !== null) {
      made.push(createUngradedJudgement(of, 'skipped', `not asked: the work did not come past ${stopped}`));
      continue;
    }
    const judgements = await gradeAtNode(of, work, context);
    made.push(...judgements);
    if (judgements.some(({ verdict }) => verdict !== 'pass')) stopped = of.node;
  }
  return made;
}
