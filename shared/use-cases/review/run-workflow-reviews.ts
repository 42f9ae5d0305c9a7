import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { DEFAULT_APPROVAL_SETTINGS } from '../../control/approvals/approval-settings.ts';
import { effectiveAutonomy } from '../../control/approvals/effective-autonomy.ts';
import { listGradedNodes } from '../../control/workflow/gradings.ts';
import type { AskModel } from '../../reviews/engine/ask-model-port.ts';
import { runReviewer } from '../../reviews/engine/engine.ts';
import { type PieceKind, type ReviewPiece, selectPieces } from '../../reviews/engine/review-piece.ts';
import { withSharedDeadline } from '../../reviews/judging/shared-deadline.ts';
import { RED_TEAM, redTeamSettings } from '../../reviews/reviewers/red-team.ts';
import { visionSettings } from '../../reviews/reviewers/vision.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { gradeByRubric } from './grade-by-rubric.ts';
import { reviewScreenshots } from './review-screenshots.ts';

export interface WorkflowReviewContext {
  readonly ask: AskModel;
  readonly models: JudgeModels;
  readonly objects: Pick<ObjectStore, 'getRange'>;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel | undefined;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: string | null;
  readonly now: () => Date;
}

/** Does the workflow of a task have anybody asked? */
export const hasWorkflowReviews = (task: Pick<Task, 'workflow_in_force'>): boolean =>
  listGradedNodes(task).length > 0 || redTeamSettings(task) !== null || visionSettings(task) !== null;

/** Kinds of pieces that are the work itself. */
const WORK: readonly PieceKind[] = ['observed', 'diff'];

/** Has the work of an attempt graded, then attacked, then looked at in pictures, as the workflow of its task says. */
export async function runWorkflowReviews(
  task: Task,
  attempt: Attempt,
  evidence: Pick<Evidence, 'gates'>,
  pieces: readonly ReviewPiece[],
  { ask: unbounded, models, objects, autonomy, budgetRefusal, now }: WorkflowReviewContext,
): Promise<Judgement[]> {
  if (!hasWorkflowReviews(task)) return [];
  const ask = withSharedDeadline(unbounded);
  const about = selectPieces(pieces, ['task']);
  const graded = await gradeByRubric(
    {
      task,
      attempt,
      taskPieces: about,
      payload: Object.fromEntries(selectPieces(pieces, WORK).map(({ label, text }) => [label, text])),
    },
    { ask, models, budgetRefusal, now },
  );
  // What was graded down goes back as it is: an attack on it would be paid for in vain.
  if (graded.some(({ verdict }) => verdict === 'fail')) return graded;
  const inForce = effectiveAutonomy(task, autonomy ?? DEFAULT_APPROVAL_SETTINGS.autonomy);
  const redTeam = redTeamSettings(task);
  const attacked = redTeam
    ? [
        await runReviewer(
          RED_TEAM,
          { task, attempt, settings: redTeam, autonomy: inForce },
          () => ({ pieces }),
          {
            ...{ ask, models, budgetRefusal, now },
            writer: attempt.model,
          },
        ),
      ]
    : [];
  if (attacked.some(({ verdict }) => verdict === 'fail')) return [...graded, ...attacked];
  const looked = await reviewScreenshots(
    { task, attempt, evidence, pieces },
    { ask, models, objects, autonomy: inForce, budgetRefusal, now },
  );
  return [...graded, ...attacked, ...looked];
}
