import { UNANSWERED_CHALLENGE_OUTCOMES } from '../../contract/evidence/independent.ts';
import { Evidence, GateEvidence, type Verdict, type VerdictReason } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewDecision } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewDecision } from '../../contract/judgement/review-pipeline-schema.ts';
import type { JanitorStepInput } from '../../contract/messages/step-messages.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import type { Attempt, AttemptChallenge } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { estimateJudgingCost } from '../../control/spending/judging-reservation.ts';
import { isDeliverableVerdict } from '../../control/task-commands/deliver.ts';
import { recordChallengedVerdict, requestChallenge } from '../../control/task-commands/record-challenge.ts';
import {
  claimAttemptJudging,
  isAwaitingVerdict,
  recordVerdict,
} from '../../control/task-commands/record-verification.ts';
import { requireAttempt } from '../../control/task-commands/task-change.ts';
import { applyTunedGateRequirements } from '../../control/tune/active-changes.ts';
import { EMPTY_TUNING_STATE } from '../../control/tune/proposals.ts';
import { applyChallengeEffect, decideChallengeEffect } from '../../control/verdict/apply-challenge.ts';
import { applyForcedExitToVerdict } from '../../control/verdict/forced-exit.ts';
import { joinVerdictWithJudgements } from '../../control/verdict/join-judgements.ts';
import { orderReasons } from '../../control/verdict/order-reasons.ts';
import { type PlannedChallenge, planChallenge } from '../../control/verdict/plan-challenge.ts';
import { deriveVerdictFromEvidence } from '../../control/verdict/reduce-to-verdict.ts';
import { applyWorkflowReview } from '../../control/workflow/apply-workflow-review.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import { buildMissingChallengeEvidence } from '../../reviews/engine/missing-challenge.ts';
import {
  addMissingJudgements,
  decidePipelineReview,
  findJudgingSkipReason,
  hasWorkflowReviews,
  listModelJudgedSignals,
} from '../../reviews/reviewers/expected-judgements.ts';
import { decideRequirementsReview } from '../../reviews/reviewers/requirements-review.ts';
import type { AcceptedTreeStore } from '../../store/accepted-trees.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';
import type { SettingTuningStore } from '../../store/tuning-state.ts';

/** Reasons carried from one step to the next, and their bytes as JSON: a state of the machine holds at most 256 KiB. */
const MAX_REASONS = 50;
const MAX_REASONS_BYTES = 100_000;
const MAX_MESSAGE = 1_000;
const MAX_SUBJECT = 300;

function boundedReasons(reasons: readonly VerdictReason[]): VerdictReason[] {
  let room = MAX_REASONS_BYTES;
  return reasons
    .slice(0, MAX_REASONS)
    .map(({ code, subject, message }) => ({
      code,
      subject: subject === null ? null : truncateToBytes(subject, MAX_SUBJECT),
      message: truncateToBytes(message, MAX_MESSAGE),
    }))
    .filter((reason) => {
      room -= Buffer.byteLength(JSON.stringify(reason));
      return room >= 0;
    });
}

/** What the evidence allows, and whether models are to be asked before it is the verdict. */
export interface EvidenceReduction {
  readonly verdict: Verdict;
  /** `superseded`: somebody else comes to the verdict, or has. */
  readonly next: 'judge' | 'combine' | 'superseded';
  /** Whether a model looks once more at what has passed. */
  readonly requirements_review: RequirementsReviewDecision;
  /** Whether the reviewers of the base are asked; null: it names none. */
  readonly review_pipeline: PipelineReviewDecision | null;
}

interface AttemptRef {
  readonly task_id: string;
  readonly run: number;
  readonly attempt: number;
}

type ReduceStepInput = Extract<JanitorStepInput, { readonly step: 'reduce' }>;

/** Reduces the evidence of an attempt to a verdict, without writing it. Where models are to be asked, it writes that they are. */
export async function reduceEvidenceToVerdict(
  { task_id: id, run, attempt, execution_id, is_retry }: Omit<ReduceStepInput, 'step'>,
  deps: {
    now: Date;
    tasks: TaskStore;
    objects: ObjectStore;
    /** Who judges; which of them are configured says what is asked. */
    models: JudgeModels;
    /** What the deployment has changed of its own settings; absent: nothing. */
    tuning?: Pick<SettingTuningStore, 'read'>;
  },
): Promise<EvidenceReduction> {
  const task = await deps.tasks.require(id);
  const { verification: record, report } = requireAttempt(task, attempt);
  if (!record) throw new Error(`attempt ${attempt} of ${id} has no evidence`);
  const gathered = await readEvidence(task, attempt, record.key, deps.objects);
  const settings = (await deps.tuning?.read()) ?? EMPTY_TUNING_STATE;
  const { evidence, reasons } = applyTunedGateRequirements(gathered, settings);
  const reduced = applyForcedExitToVerdict(deriveVerdictFromEvidence(evidence), report?.verification_gate);
  const verdict = { ...reduced, reasons: boundedReasons(orderReasons([...reduced.reasons, ...reasons])) };
  const look = decideRequirementsReview(task, evidence, verdict, 'requirements_review' in deps.models);
  const signals =
    (listModelJudgedSignals(task).length > 0 || hasWorkflowReviews(task)) &&
    findJudgingSkipReason(verdict) === null;
  const pipeline = decidePipelineReview(evidence, verdict);
  const ask = signals || look.outcome === 'asked' || pipeline?.outcome === 'asked';
  const reducedTo = { verdict, requirements_review: look, review_pipeline: pipeline };
  // A challenge follows everything cheaper: the reviews of this tree are in the verdict that is pending.
  const { challenge } = requireAttempt(task, attempt);
  if (!ask || challenge?.pending_verdict) return { ...reducedTo, next: 'combine' };
  const may = {
    ...{ task, attempt: requireAttempt(task, attempt), signals: signals ? listModelJudgedSignals(task) : [] },
    ...{ hasRequirementsReview: look.outcome === 'asked', hasReviewPipeline: pipeline?.outcome === 'asked' },
  };
  const estimated = estimateJudgingCost(may, deps.models, deps.now);
  const micro = estimated && 'highMicro' in estimated ? estimated.highMicro : undefined;
  const { changed } = await deps.tasks.apply(task, (each) =>
    claimAttemptJudging(each, attempt, run, { execution_id, is_retry, micro }, deps.now),
  );
  return { ...reducedTo, next: changed ? 'judge' : 'superseded' };
}

/** Joins the verdict of the evidence with what models said and writes the outcome on the attempt, once, and only while somebody waits for that of this run. */
export async function combineVerdictWithJudgements(
  { task_id: id, run, attempt }: AttemptRef,
  {
    verdict: observed,
    judgements,
    requirements_review: look,
    review_pipeline: pipeline,
  }: {
    readonly verdict: Verdict;
    readonly judgements: readonly Judgement[];
    readonly requirements_review?: RequirementsReviewDecision | undefined;
    readonly review_pipeline?: PipelineReviewDecision | null | undefined;
  },
  deps: {
    tasks: TaskStore;
    accepted: Pick<AcceptedTreeStore, 'recordPassed' | 'recordChallenged' | 'getChallenged'>;
    /** Configured models, and where evidence lies; absent: no challenger is asked. */
    challenges?: { readonly models: JudgeModels; readonly objects: Pick<ObjectStore, 'getByDigest'> };
    now: Date;
  },
): Promise<Verdict['verdict']> {
  const task = await deps.tasks.require(id);
  const { gates_metered_usage: opinions, challenge: earlier = null } = requireAttempt(task, attempt);
  if (earlier?.pending_verdict && earlier.outcome !== null) {
    const challenged = await decideChallengedVerdict(task, attempt, earlier, earlier.pending_verdict, deps);
    await recordPassedTree(task, attempt, run, challenged, deps);
    await deps.tasks.applyCommand(id, (each) =>
      recordChallengedVerdict(each, attempt, run, challenged, deps.now),
    );
    return challenged.verdict;
  }
  const made = addMissingJudgements(task, observed, judgements, look, pipeline);
  const joined = applyWorkflowReview(task, joinVerdictWithJudgements(observed, made));
  const costed = opinions ? { ...joined, gates_cost_usd: opinions.cost_usd } : joined;
  const present = requireAttempt(task, attempt);
  const challenge = deps.challenges
    ? await planChallengeOf(task, present, costed, { ...deps.challenges, now: deps.now })
    : null;
  if (challenge !== null) {
    // Before the task has it, and only while somebody waits: a verdict that a task item alone names is not believed.
    if (isAwaitingVerdict(task, attempt, run))
      await deps.accepted.recordChallenged(
        id,
        costed,
        { verified: costed.verified, mode: challenge.mode, refer_above: challenge.refer_above },
        deps.now,
      );
    await deps.tasks.applyCommand(id, (each) => requestChallenge(each, attempt, run, challenge, deps.now));
    return costed.verdict;
  }
  // A verdict that is made again keeps what its challenge has shown.
  const verdict = applyChallengeEffect(costed, earlier?.effect ?? null);
  await recordPassedTree(task, attempt, run, verdict, deps);
  await deps.tasks.applyCommand(id, (present) =>
    isAwaitingVerdict(present, attempt, run) ? recordVerdict(present, attempt, verdict, deps.now) : null,
  );
  return verdict.verdict;
}

/** Refuses an object that is not of this attempt: one function alone writes these prefixes, and many write the key into the task. */
function requireKeyOfAttempt(task: Task, attempt: number, kind: 'evidence' | 'challenge', key: string): void {
  if (!key.startsWith(s3ObjectKeys.evidenceOfAttempt(task.id, attempt, kind)))
    throw new Error(`${key} is no ${kind} of attempt ${attempt} of task ${task.id}: the task item is forged`);
}

/** Reads the evidence of an attempt. @throws Error if it is another attempt's, or is not what was handed in */
async function readEvidence(
  task: Task,
  attempt: number,
  key: string,
  objects: Pick<ObjectStore, 'getByDigest'>,
): Promise<Evidence> {
  requireKeyOfAttempt(task, attempt, 'evidence', key);
  return Evidence.parse(JSON.parse(await objects.getByDigest(key)));
}

/**
 * Returns the verdict that was pending, as far as its challenge leaves it. Both come from what the task item cannot forge: the item of the
 * challenged tree, and the entry that the challenger handed in.
 * @throws Error if this function has not recorded the tree as challenged, or the entry is another attempt's
 */
async function decideChallengedVerdict(
  task: Task,
  attempt: number,
  challenge: AttemptChallenge,
  pending: Verdict,
  {
    accepted,
    challenges,
  }: {
    readonly accepted: Pick<AcceptedTreeStore, 'getChallenged'>;
    readonly challenges?: { readonly objects: Pick<ObjectStore, 'getByDigest'> };
  },
): Promise<Verdict> {
  const recorded = await accepted.getChallenged(task.id, pending);
  if (!recorded || recorded.verified !== pending.verified || !challenges)
    throw new Error(`the verdict on tree ${pending.tree} of task ${task.id} is forged: it was never pending`);
  const { key, outcome } = challenge;
  if (key !== null) requireKeyOfAttempt(task, attempt, 'challenge', key);
  const entry =
    key === null
      ? buildMissingChallengeEvidence(outcome ?? 'lost', 'the challenger gave no answer', recorded.mode)
      : GateEvidence.parse(JSON.parse(await challenges.objects.getByDigest(key)));
  const effect = decideChallengeEffect(entry, recorded);
  // The reason in the task says more where nothing was handed in, and has the same weight.
  const isStated = effect.reason !== null && effect.verdict === challenge.effect?.verdict;
  return applyChallengeEffect(pending, isStated ? challenge.effect : effect);
}

/** Returns the challenge that an attempt gets before its verdict counts; null: none, or it has had one that was answered. */
async function planChallengeOf(
  task: Task,
  attempt: Attempt,
  verdict: Verdict,
  { models, objects, now }: { models: JudgeModels; objects: Pick<ObjectStore, 'getByDigest'>; now: Date },
): Promise<PlannedChallenge | null> {
  const { challenge, verification } = attempt;
  const canAsk =
    !challenge || (challenge.outcome !== null && UNANSWERED_CHALLENGE_OUTCOMES.has(challenge.outcome));
  if (!canAsk || !verification || !models.challenger || verdict.verdict !== 'pass') return null;
  const evidence = await readEvidence(task, attempt.number, verification.key, objects);
  return planChallenge(task, attempt, verdict, evidence, models, now);
}

/** Records that a verdict has passed a tree, before the task has it. */
async function recordPassedTree(
  task: Task,
  attempt: number,
  run: number,
  verdict: Verdict,
  { accepted, now }: { accepted: Pick<AcceptedTreeStore, 'recordPassed'>; now: Date },
): Promise<void> {
  if (isDeliverableVerdict(task, verdict) && isAwaitingVerdict(task, attempt, run))
    await accepted.recordPassed(task.id, verdict, now);
}
