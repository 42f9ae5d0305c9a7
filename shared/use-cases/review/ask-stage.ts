import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModels } from '../../contract/models/models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { autonomyOf } from '../../control/approvals/in-force.ts';
import { DEFAULT_APPROVAL_RULES } from '../../control/approvals/rules.ts';
import { gradedBy } from '../../control/workflow/gradings.ts';
import type { Piece } from '../../lib/material.ts';
import type { AskModel } from '../../reviews/judging/port.ts';
import { withinTime } from '../../reviews/judging/within-time.ts';
import { redTeamOf } from '../../reviews/review/red-team.ts';
import { visionOf } from '../../reviews/review/vision/vision.ts';
import type { ObjectStore } from '../../store/objects.ts';
import { attack } from './attack.ts';
import { grade } from './grade.ts';
import { lookAtPictures } from './vision-look.ts';

export interface StageContext {
  readonly ask: AskModel;
  readonly models: JudgeModels;
  readonly objects: Pick<ObjectStore, 'part'>;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel | undefined;
  /** Why no model is asked about the task any more, or null. */
  readonly spent: string | null;
  readonly now: () => Date;
}

/** Does the workflow of a task have anybody asked? */
export const hasStage = (task: Pick<Task, 'workflow_in_force'>): boolean =>
  gradedBy(task).length > 0 || redTeamOf(task) !== null || visionOf(task) !== null;

/** Pieces that are the work itself; the others are what the task says of it. */
const WORK = ['what was observed', 'diff'];

/** Has the work of an attempt graded, then attacked, then looked at in pictures, as the workflow of its task says. */
export async function askStage(
  task: Task,
  attempt: Attempt,
  evidence: Pick<Evidence, 'gates'>,
  pieces: readonly Piece[],
  { ask: unbounded, models, objects, autonomy, spent, now }: StageContext,
): Promise<Judgement[]> {
  if (!hasStage(task)) return [];
  const isWork = ({ label }: Piece): boolean => WORK.includes(label);
  const ask = withinTime(unbounded);
  const about = pieces.filter((piece) => !isWork(piece));
  const graded = await grade(
    {
      task,
      attempt,
      about,
      payload: Object.fromEntries(pieces.filter(isWork).map(({ label, text }) => [label, text])),
    },
    { ask, models, spent, now },
  );
  // What was graded down goes back as it is: an attack on it would be paid for in vain.
  if (graded.some(({ verdict }) => verdict === 'fail')) return graded;
  const inForce = autonomyOf(task, autonomy ?? DEFAULT_APPROVAL_RULES.autonomy);
  const attacked = await attack(task, attempt, pieces, {
    ask,
    attacker: models.red_team,
    autonomy: inForce,
    spent,
    now,
  });
  if (attacked.some(({ verdict }) => verdict === 'fail')) return [...graded, ...attacked];
  const looked = await lookAtPictures(
    { task, attempt, evidence, about },
    { ask, viewer: models.vision, objects, autonomy: inForce, spent, now },
  );
  return [...graded, ...attacked, ...looked];
}
