import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { Evidence } from '../../contract/evidence/schema.ts';
import type { Spent } from '../../contract/judgement/judgement.ts';
import { type Judgement, type SecondLook, timesOf } from '../../contract/judgement/judgement.ts';
import type { PipelineAsk } from '../../contract/judgement/review-pipeline.ts';
import {
  calibrationFor,
  familyOfModel,
  type JudgeModel,
  type JudgeModels,
} from '../../contract/models/models.ts';
import { hasResult } from '../../contract/outcome.ts';
import type { JudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import type { CascadePolicy } from '../../control/cascade/learning/policy.ts';
import { judgingRefused } from '../../control/spending/judging.ts';
import { attemptNumbered } from '../../control/task-commands/change.ts';
import { cut } from '../../lib/cut.ts';
import type { Piece } from '../../lib/material.ts';
import { judgedSignals } from '../../reviews/judging/asked.ts';
import type { Breaker } from '../../reviews/judging/breaker.ts';
import { judgingSpent } from '../../reviews/judging/completion-budget.ts';
import {
  comparedAs,
  compareExpectations,
  expectationsIn,
  expectationsQuestion,
} from '../../reviews/judging/expectations.ts';
import { askPipeline } from '../../reviews/judging/pipeline-ask.ts';
import { unreviewed } from '../../reviews/judging/pipeline-record.ts';
import type { AskModel } from '../../reviews/judging/port.ts';
import { costOf } from '../../reviews/judging/price.ts';
import { lookedAt, lookQuestion, notesOf, unlooked } from '../../reviews/judging/second-look.ts';
import { filesOfDiff, share } from '../../reviews/judging/shown-diff.ts';
import { headOf, opinionOf, questionOf, unaskedJudgement } from '../../reviews/judging/signal.ts';
import type { ObjectStore } from '../../store/objects.ts';
import type { SpendStore } from '../../store/spend.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { askStage, hasStage } from './ask-stage.ts';
import { type Brought, toMark, whyUnmarked } from './quality-gate.ts';

export interface JudgingContext {
  readonly tasks: TaskStore;
  readonly objects: ObjectStore;
  readonly models: JudgeModels;
  readonly ask: AskModel;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel;
  /** Of the quality gate, for a model that writes; null: nothing is known of it. */
  readonly breaker: (model: string) => Promise<Breaker | null>;
  /** What may go to models; absent: nothing is limited. */
  readonly money?: {
    readonly policy: CascadePolicy;
    readonly spend: Pick<SpendStore, 'reserve'>;
    /** A budget has kept everybody from being asked. */
    readonly onStop: () => void;
  };
  readonly now: () => Date;
}

/** Characters of the diff, of the task's description and of what was observed that a judge is shown. */
const DIFF = 10_000;
const DESCRIPTION = 4_000;
const OBSERVED = 4_000;

const HOW_TO =
  'no model is configured to judge: name one in `assay:judges` of the deployment, or with `assay up --models FILE`';

/** What was observed, as lines. What a tool has printed is text from outside like the rest. */
function observed({ signals, gates }: Evidence): string {
  const lines = [
    ...signals.map(({ type, outcome, detail }) => `signal ${type}: ${outcome} (${detail.slice(0, 200)})`),
    ...gates
      .filter(({ outcome }) => hasResult(outcome))
      .flatMap(({ name, outcome, detail, findings }) => [
        `gate ${name}: ${outcome} (${detail.slice(0, 200)})`,
        ...findings.map(
          ({ file, line, rule, message }) => `  ${rule} at ${file}:${line}: ${message.slice(0, 200)}`,
        ),
      ]),
  ];
  return cut(lines.join('\n'), OBSERVED);
}

interface Shown {
  readonly pieces: Piece[];
  readonly notes: Piece[];
  /** Of these, the task alone. */
  readonly about: Piece[];
  readonly patch: string;
  readonly brought: Brought;
}

/** What every judge is shown, and the notes that are for a second look. */
async function piecesOf(task: Task, attempt: number, objects: ObjectStore): Promise<Shown> {
  const made = attemptNumbered(task, attempt);
  const { verification, artifact } = made;
  if (!verification || !artifact) throw new Error(`attempt ${attempt} of ${task.id} has no evidence`);
  const [evidence, patch] = await Promise.all([
    objects.getByDigest(verification.key).then((text) => Evidence.parse(JSON.parse(text))),
    objects.getByDigest(artifact.patch_key),
  ]);
  const diff = share(filesOfDiff(patch), DIFF);
  const notes = notesOf(evidence);
  const about = [
    { label: 'title of the task', text: task.title },
    { label: 'description of the task', text: cut(task.description, DESCRIPTION) },
    ...(task.acceptance_criteria.length === 0
      ? []
      : [
          {
            label: 'acceptance criteria of the task',
            text: cut(task.acceptance_criteria.join('\n'), DESCRIPTION),
          },
        ]),
  ];
  return {
    pieces: [
      ...about,
      { label: 'what was observed', text: observed(evidence) },
      { label: 'diff', text: diff.text },
    ],
    about,
    patch,
    brought: { task, attempt: made, evidence },
    notes: notes.length === 0 ? [] : [{ label: 'notes of rules', text: cut(notes.join('\n'), OBSERVED) }],
  };
}

/** What asking has come to, beside the opinion. */
const asked = (
  model: JudgeModel,
  answered: Spent,
  because: string,
  prompt: Judgement['prompt'],
  now: Date,
): Pick<
  Judgement,
  | 'calibration'
  | 'because'
  | 'model'
  | 'family'
  | 'calls'
  | 'tokens'
  | 'cost_usd'
  | 'duration_ms'
  | 'asked_at'
> => ({
  because,
  calibration: calibrationFor(model, prompt),
  model: model.model,
  family: familyOfModel(model),
  calls: answered.calls,
  tokens: answered.tokens,
  cost_usd: costOf(model, answered, now.toISOString()),
  ...timesOf(answered),
});

/** What reduction has found worth asking, beside the signals that a task names. */
export interface Wanted {
  readonly look?: SecondLook | undefined;
  readonly pipeline?: PipelineAsk | null | undefined;
}

/**
 * Asks about all judged signals of an attempt, and for a second look where there is to be one, side by side. A judge that does not answer
 * is a judgement too: nothing is left out.
 */
export async function askJudges(
  id: string,
  attempt: number,
  { look, pipeline }: Wanted,
  context: JudgingContext,
): Promise<Judgement[]> {
  const task = await context.tasks.require(id);
  const signals = judgedSignals(task);
  const looks = look?.outcome === 'asked' ? look : null;
  const reviews = pipeline?.outcome === 'asked' ? pipeline : null;
  const { models, money } = context;
  const may = { task, attempt: attemptNumbered(task, attempt), signals, looks: looks !== null };
  const enough = judgingSpent(task.attempts);
  const refused =
    enough === null && money
      ? await judgingRefused({ ...may, reviews: reviews !== null }, models, money, context.now())
      : null;
  if (refused !== null) money?.onStop();
  const spent = enough ?? refused;
  const { judge, second_look: looker, review: reviewers = [] } = spent === null ? models : {};
  const unasked = (signal: JudgedSignal) =>
    unaskedJudgement(signal, { outcome: 'inert', because: spent ?? HOW_TO });
  // The quality gate looks before it asks.
  const isNeeded = judge ? signals.length > 0 : signals.some(({ type }) => type === 'quality_gate');
  const unreviewable = reviews && spent !== null ? [unreviewed(reviews, 'inert', spent)] : [];
  const nobody = !isNeeded && (!looker || !looks) && (!reviews || spent !== null);
  if (nobody && !hasStage(task))
    return [...signals.map(unasked), ...(looks ? [unlooked(looks, spent ?? HOW_TO)] : []), ...unreviewable];
  const { pieces, notes, brought, about, patch } = await piecesOf(task, attempt, context.objects);
  const ofSignal = async (signal: JudgedSignal): Promise<Judgement> => {
    const isMark = signal.type === 'quality_gate';
    const instead = isMark ? await whyUnmarked(brought, context) : null;
    if (instead) return unaskedJudgement(signal, instead);
    if (!judge) return unasked(signal);
    const question = questionOf(signal, isMark ? [...pieces, ...toMark(brought, context.now())] : pieces);
    const answered = await context.ask(judge, question);
    const because = 'asked: the task names it among its completion signals';
    return {
      ...headOf(signal),
      ...opinionOf(signal, answered, question.injections),
      ...asked(judge, answered, because, question.prompt, context.now()),
    };
  };
  const secondLook = async (of: SecondLook): Promise<Judgement> => {
    if (!looker) return unlooked(of, spent ?? HOW_TO);
    const question = lookQuestion([...pieces, ...notes]);
    const answered = await context.ask(looker, question);
    return {
      ...lookedAt(answered, question.injections),
      ...asked(looker, answered, of.because, question.prompt, context.now()),
    };
  };
  const expectations = looker && looks ? expectationsIn(patch) : null;
  const compared = async (): Promise<Judgement[]> => {
    if (!looker || !expectations) return [];
    const injections = new Set<string>();
    const answered = await compareExpectations((isSwapped) => {
      const question = expectationsQuestion(expectations, about, isSwapped);
      for (const each of question.injections) injections.add(each);
      return context.ask(looker, question);
    });
    const because = 'asked in both orders: the patch changes what tests of the base expect';
    const opinion = comparedAs(answered, [...injections]);
    return [{ ...opinion, ...asked(looker, answered, because, opinion.prompt, context.now()) }];
  };
  const review = async (): Promise<Judgement[]> => {
    const { review_pipeline } = brought.evidence;
    if (!reviews || !review_pipeline || spent !== null) return unreviewable;
    const { ask, now } = context;
    const writer = brought.attempt.model;
    const { because } = reviews;
    return askPipeline({ pipeline: review_pipeline, models: reviewers, writer, pieces, because, ask, now });
  };
  const all = await Promise.all([
    Promise.all([...signals.map(ofSignal), ...(looks ? [secondLook(looks)] : [])]),
    compared(),
    review(),
    askStage(task, brought.attempt, brought.evidence, pieces, { ...context, spent }),
  ]);
  return all.flat();
}
