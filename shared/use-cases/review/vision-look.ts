import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import { type Judgement, NOBODY_ASKED } from '../../contract/judgement/judgement.ts';
import { familyOf } from '../../contract/models/family.ts';
import { familyOfModel, type JudgeModel } from '../../contract/models/models.ts';
import { screenshotsIn } from '../../contract/screenshot.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { Piece } from '../../lib/material.ts';
import type { AskModel } from '../../reviews/judging/port.ts';
import { nothingToLookAt } from '../../reviews/review/gate-word.ts';
import { missingPictures, unseen, VISION_SUBJECT, visionOf } from '../../reviews/review/vision/vision.ts';
import { lookByModel } from './vision-by-model.ts';
import { lookByRules } from './vision-by-rules.ts';
import type { Album } from './vision-pictures.ts';

export interface VisionContext {
  readonly ask: AskModel;
  /** Who is shown the pictures. */
  readonly viewer: JudgeModel | undefined;
  readonly objects: Album['objects'];
  readonly autonomy: AutonomyLevel;
  /** Why no model is asked about the task any more, or null. */
  readonly spent: string | null;
  readonly now: () => Date;
}

export interface PicturedWork {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly evidence: Pick<Evidence, 'gates'>;
  /** What the task says of itself. */
  readonly about: readonly Piece[];
}

const HOW_TO =
  'no model looks at pictures: name one as `vision` in `assay:judges` of the deployment, or with `assay up --models FILE`';

/** Why a model may not be asked, or null. */
function whyNobody({ model }: Attempt, { viewer, spent }: VisionContext): string | null {
  if (!viewer) return HOW_TO;
  if (spent !== null) return spent;
  return model !== null && familyOfModel(viewer) === familyOf(model)
    ? `${viewer.model} is of the same family as ${model}, which did the work`
    : null;
}

/** Has pictures of the work looked at that has come so far; nothing where its workflow does not want that. */
export async function lookAtPictures(
  { task, attempt, evidence, about }: PicturedWork,
  context: VisionContext,
): Promise<Judgement[]> {
  const settings = visionOf(task);
  if (!settings) return [];
  const head = { ...NOBODY_ASKED, kind: 'vision' as const, subject: VISION_SUBJECT, calibration: null };
  const missing = missingPictures(evidence, task, settings);
  if (missing !== null)
    return [{ ...head, ...nothingToLookAt(missing, settings.on_missing_deliverable), because: missing }];
  const because = `asked: the workflow has pictures looked at by ${settings.verifier}`;
  const shots = screenshotsIn(evidence);
  const album: Album = { taskId: task.id, attempt: attempt.number, objects: context.objects };
  switch (settings.verifier) {
    case 'noop': {
      const why = 'not asked: the verifier noop looks at nothing';
      return [{ ...head, ...nothingToLookAt(why, 'skip'), because: why }];
    }
    case 'heuristic':
      return [{ ...head, because, ...(await lookByRules(shots, settings, album, context.autonomy)) }];
    case 'llm_vision': {
      const { viewer } = context;
      const why = whyNobody(attempt, context);
      if (why !== null || !viewer)
        return [{ ...head, ...unseen('inert', why ?? HOW_TO), because: why ?? HOW_TO }];
      const said = await lookByModel(about, shots, settings, album, { ...context, viewer });
      return [{ ...head, because, ...said }];
    }
  }
}
