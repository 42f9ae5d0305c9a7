import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { DEFAULT_APPROVAL_SETTINGS } from '../../control/approvals/approval-settings.ts';
import { determineEffectiveAutonomyLevel } from '../../control/approvals/effective-autonomy.ts';
import type { AskReviewModel } from '../../reviews/engine/ask-model-port.ts';
import type { JudgingRefusal } from '../../reviews/engine/decision-reason.ts';
import { findEarlierFailure, runSingleQuestionReviewer } from '../../reviews/engine/engine.ts';
import { type PieceKind, type ReviewPiece, selectPieces } from '../../reviews/engine/review-piece.ts';
import { limitCallsBySharedDeadline } from '../../reviews/judging/shared-deadline.ts';
import { hasWorkflowReviews } from '../../reviews/reviewers/expected-judgements.ts';
import { RED_TEAM_REVIEWER, redTeamSettings } from '../../reviews/reviewers/red-team.ts';
import { VISION_REVIEWER } from '../../reviews/reviewers/vision.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { gradeAtVerificationNodes, type WorkToGrade } from './grade-by-rubric.ts';
import { reviewScreenshots } from './review-screenshots.ts';

export interface WorkflowReviewContext {
  readonly ask: AskReviewModel;
  readonly models: JudgeModels;
  readonly objects: Pick<ObjectStore, 'getRange'>;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel | undefined;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: JudgingRefusal | null;
  readonly now: () => Date;
}

/** Kinds of pieces that are the work itself. */
const WORK: readonly PieceKind[] = ['observed', 'diff'];

/** The work by kind of piece: labels are only shown, and select nothing. */
const payloadOf = (pieces: readonly ReviewPiece[]): WorkToGrade['payload'] =>
  Object.fromEntries(
    WORK.flatMap((kind) => {
      const texts = selectPieces(pieces, [kind]).map(({ text }) => text);
      return texts.length === 0 ? [] : [[kind, texts.join('\n')]];
    }),
  );

/** Grades the work of an attempt, then attacks it, then reviews pictures of it, as the workflow of its task says. */
export async function runWorkflowReviews(
  task: Task,
  attempt: Attempt,
  evidence: Pick<Evidence, 'gates'>,
  pieces: readonly ReviewPiece[],
  { ask: unbounded, models, objects, autonomy: most, budgetRefusal, now }: WorkflowReviewContext,
): Promise<Judgement[]> {
  if (!hasWorkflowReviews(task)) return [];
  const context = {
    ask: limitCallsBySharedDeadline(unbounded),
    models,
    budgetRefusal,
    now,
    writer: attempt.model,
  };
  const autonomy = determineEffectiveAutonomyLevel(task, most ?? DEFAULT_APPROVAL_SETTINGS.autonomy);
  const made = await gradeAtVerificationNodes(
    { task, attempt, taskPieces: selectPieces(pieces, ['task']), payload: payloadOf(pieces) },
    context,
  );
  const settings = redTeamSettings(task);
  // What was graded down goes back as it is: an attack on it would be paid for in vain.
  if (settings && findEarlierFailure(RED_TEAM_REVIEWER.after, made) === null)
    made.push(
      await runSingleQuestionReviewer(
        RED_TEAM_REVIEWER,
        { task, attempt, settings, autonomy },
        () => ({ pieces }),
        context,
      ),
    );
  if (findEarlierFailure(VISION_REVIEWER.after, made) === null)
    made.push(
      ...(await reviewScreenshots({ task, attempt, evidence, pieces }, { ...context, objects, autonomy })),
    );
  return made;
}
