import type { Spent } from '../../contract/judgement/judgement.ts';
import { type Judgement, NOBODY_ASKED, timesOf } from '../../contract/judgement/judgement.ts';
import { familyOf } from '../../contract/models/family.ts';
import {
  calibrationFor,
  familyOfModel,
  type JudgeModel,
  type JudgeModels,
} from '../../contract/models/models.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { GradingRecord } from '../../contract/rubric/grading.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { VerificationInForce } from '../../contract/workflow/in-force.ts';
import { emptyGrading, gradedBy, subjectOf, ungraded } from '../../control/workflow/gradings.ts';
import { cut } from '../../lib/cut.ts';
import type { Piece } from '../../lib/material.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { AskModel } from '../../reviews/judging/port.ts';
import { costOf } from '../../reviews/judging/price.ts';
import type { Prompt } from '../../reviews/judging/prompt.ts';
import { PROMPTS } from '../../reviews/judging/prompts.ts';
import { DecompositionFailed } from '../../reviews/rubric/decomposer.ts';
import { ModelMissing, verifierOf } from '../../reviews/rubric/factory.ts';
import type { Grading } from '../../reviews/rubric/grader.ts';
import { type HandoffArtifact, handOver } from '../../reviews/rubric/handoff.ts';
import { oddGrades, weightedScore } from '../../reviews/rubric/weighted.ts';

export interface GradingContext {
  readonly ask: AskModel;
  readonly models: Pick<JudgeModels, 'decomposer' | 'rubric'>;
  /** Why no model is asked about the task any more, or null. */
  readonly spent: string | null;
  readonly now: () => Date;
}

/** The work, as the evaluator is given it. */
export interface Submitted {
  readonly task: Task;
  readonly attempt: Attempt;
  /** What the task says: not part of the work. */
  readonly about: readonly Piece[];
  readonly payload: Readonly<Record<string, string>>;
}

/** Probes that have room in the record, and characters of each. */
const KEPT_PROBES = 20;
const KEPT_TEXT = 300;
const KEPT_FINDINGS = 10;

/** Who did the work of an attempt: an outside agent by its own name, else as the workflow assigns it. */
export const generatorOf = (
  task: Pick<Task, 'runner'>,
  { holder }: Pick<Attempt, 'holder'>,
  { generator }: Pick<VerificationInForce, 'generator'>,
): string => (task.runner === 'external' ? holder : generator);

const recorded = (handoff: HandoffArtifact): NonNullable<GradingRecord['handoff']> => {
  const { payload, acceptance_probes: probes, rubric: _rubric, artifact_refs, ...rest } = handoff;
  return {
    ...rest,
    artifact_refs: [...artifact_refs],
    probes: probes
      .slice(0, KEPT_PROBES)
      .map(({ id, probe_text }) => ({ id, probe_text: cut(probe_text, KEPT_TEXT) })),
    more_probes: Math.max(0, probes.length - KEPT_PROBES),
    payload_sha256: sha256(JSON.stringify(payload)),
  };
};

type Costs = Pick<
  Judgement,
  'model' | 'family' | 'prompt' | 'calibration' | 'calls' | 'tokens' | 'cost_usd' | 'duration_ms' | 'asked_at'
>;
const NOBODY: Costs = {
  model: null,
  family: null,
  prompt: null,
  calibration: null,
  calls: 0,
  tokens: null,
  cost_usd: null,
  duration_ms: 0,
};

function costs(model: JudgeModel, prompt: Prompt, spent: Spent, now: Date): Costs {
  const { id, version, sha256: digest } = prompt;
  return {
    model: model.model,
    family: familyOfModel(model),
    prompt: { id, version, sha256: digest },
    calibration: calibrationFor(model, prompt),
    calls: spent.calls,
    tokens: spent.tokens,
    cost_usd: costOf(model, spent, now.toISOString()),
    ...timesOf(spent),
  };
}

/** What a grading makes of the verdict: an attempt to talk the grader over is for a person, a weighted score counts where the rubric says so. */
function wordOf(
  of: VerificationInForce,
  grading: Extract<Grading, { result: unknown }>,
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
      cut(each, 1_000),
    ),
  };
}

/** Has the work graded at one verification node. Each model that was asked, and what it took, is a judgement of its own. */
async function gradeAt(
  of: VerificationInForce,
  { task, attempt, about, payload }: Submitted,
  context: GradingContext,
): Promise<Judgement[]> {
  const { rubric, evaluator } = of;
  if (!rubric || evaluator === null) return [ungraded(of, 'inert', 'the node has no rubric or no evaluator')];
  const { decomposer: decomposerModel, rubric: graderModel } = context.models;
  const asks = of.grader === 'llm' || of.decomposer === 'llm';
  if (asks && context.spent !== null) return [ungraded(of, 'inert', context.spent)];
  const generator = generatorOf(task, attempt, of);
  if (
    of.grader === 'llm' &&
    graderModel &&
    attempt.model !== null &&
    familyOfModel(graderModel) === familyOf(attempt.model)
  )
    return [
      ungraded(
        of,
        'inert',
        `${graderModel.model} is of the same family as ${attempt.model}, which did the work: nobody grades their own`,
      ),
    ];
  const made: Judgement[] = [];
  try {
    const parts = verifierOf(of, { ask: context.ask, decomposer: decomposerModel, grader: graderModel });
    const { probes, spent } = await parts.decomposer.decompose(task.acceptance_criteria, { taskId: task.id });
    if (spent && decomposerModel)
      made.push({
        ...decomposition(of),
        ...costs(decomposerModel, PROMPTS.atomic_probes, spent, context.now()),
        outcome: 'passed',
        verdict: 'pass',
        reasons: [`${probes.length} probes of ${task.acceptance_criteria.length} criteria`],
      });
    const artifact = handOver({
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
      about,
      generator_agent_id: generator,
      evaluator_agent_id: evaluator,
      at: context.now(),
    });
    const because = `asked: the workflow has the verification node ${of.node}`;
    const asked =
      grading.spent && graderModel
        ? costs(graderModel, PROMPTS.rubric_verdict, grading.spent, context.now())
        : NOBODY;
    const handoff = recorded(artifact);
    if ('outcome' in grading) {
      const none = ungraded(of, grading.outcome, grading.why);
      made.push({ ...none, ...asked, because, grading: { ...emptyGrading(of), handoff } });
    } else {
      const { result } = grading;
      const score = weightedScore(rubric, result.per_criterion_grades);
      const word = wordOf(of, grading, score);
      made.push({
        ...NOBODY_ASKED,
        kind: 'verification',
        subject: subjectOf(of),
        ...asked,
        outcome: result.verdict === 'pass' && word.verdict !== 'fail' ? 'passed' : 'failed',
        confidence: result.confidence,
        injections: [...grading.injections],
        because,
        verdict: word.verdict,
        reasons: [...word.reasons, ...oddGrades(rubric, result.per_criterion_grades)],
        grading: {
          ...emptyGrading(of),
          grades: { ...result.per_criterion_grades },
          weighted_score: score,
          handoff,
        },
      });
    }
    return made;
  } catch (error) {
    return [...made, ...whyNot(of, error, context)];
  }
}

const decomposition = (of: VerificationInForce) => ({
  ...NOBODY_ASKED,
  kind: 'decomposition' as const,
  subject: `probes of ${of.node}`,
  because: `asked: ${of.node} has its criteria taken apart`,
  grading: emptyGrading(of),
  calibration: null,
});

/** What stands in the place of a grading that could not be made. Faults of ours are thrown on. */
function whyNot(of: VerificationInForce, error: unknown, { models, now }: GradingContext): Judgement[] {
  if (error instanceof ModelMissing) return [ungraded(of, 'inert', error.message)];
  if (error instanceof Refusal && error.code === 'self_review') return [ungraded(of, 'inert', error.message)];
  if (error instanceof DecompositionFailed) {
    const why = `the criteria could not be taken apart: ${error.message}`;
    const spent = error.cause as Spent | undefined;
    const asked =
      spent && models.decomposer
        ? [
            {
              ...decomposition(of),
              ...costs(models.decomposer, PROMPTS.atomic_probes, spent, now()),
              outcome: 'inert' as const,
              verdict: 'refer' as const,
              reasons: [why],
            },
          ]
        : [];
    return [...asked, ungraded(of, 'inert', why)];
  }
  throw error;
}

/** Has the work graded at each verification node that it comes to: the first that it does not pass is the last. */
export async function grade(work: Submitted, context: GradingContext): Promise<Judgement[]> {
  const made: Judgement[] = [];
  let stopped: string | null = null;
  for (const of of gradedBy(work.task)) {
    if (stopped !== null) {
      made.push(ungraded(of, 'skipped', `not asked: the work did not come past ${stopped}`));
      continue;
    }
    const judgements = await gradeAt(of, work, context);
    made.push(...judgements);
    if (judgements.some(({ verdict }) => verdict !== 'pass')) stopped = of.node;
  }
  return made;
}
