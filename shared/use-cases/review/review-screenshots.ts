import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import { type Judgement, NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { listScreenshots } from '../../contract/screenshot.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { AskModel } from '../../reviews/engine/ask-model-port.ts';
import { chooseReviewer, describeAbsence } from '../../reviews/engine/engine.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import { missingInputResult } from '../../reviews/review/review-gate-result.ts';
import {
  failedOpenVisionResult,
  missingPicturesReason,
  VISION_SUBJECT,
  visionSettings,
} from '../../reviews/review/vision/vision-review.ts';
import type { ScreenshotSource } from './read-screenshot.ts';
import { reviewScreenshotsByModel } from './review-screenshots-by-model.ts';
import { reviewScreenshotsByRules } from './review-screenshots-by-rules.ts';

export interface VisionContext {
  readonly ask: AskModel;
  /** Who is shown the pictures. */
  readonly visionModel: JudgeModel | undefined;
  readonly objects: ScreenshotSource['objects'];
  readonly autonomy: AutonomyLevel;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: string | null;
  readonly now: () => Date;
}

export interface WorkWithScreenshots {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly evidence: Pick<Evidence, 'gates'>;
  /** What the task says of itself. */
  readonly taskPieces: readonly ReviewPiece[];
}

/** Has pictures of the work looked at that has come so far; nothing where its workflow does not want that. */
export async function reviewScreenshots(
  { task, attempt, evidence, taskPieces }: WorkWithScreenshots,
  context: VisionContext,
): Promise<Judgement[]> {
  const settings = visionSettings(task);
  if (!settings) return [];
  const head = { ...NO_CALL_USAGE, kind: 'vision' as const, subject: VISION_SUBJECT, calibration: null };
  const missing = missingPicturesReason(evidence, task, settings);
  if (missing !== null)
    return [{ ...head, ...missingInputResult(missing, settings.on_missing_deliverable), because: missing }];
  const because = `asked: the workflow has pictures looked at by ${settings.verifier}`;
  const shots = listScreenshots(evidence);
  const album: ScreenshotSource = { taskId: task.id, attempt: attempt.number, objects: context.objects };
  switch (settings.verifier) {
    case 'noop': {
      const why = 'not asked: the verifier noop looks at nothing';
      return [{ ...head, ...missingInputResult(why, 'skip'), because: why }];
    }
    case 'heuristic':
      return [
        { ...head, because, ...(await reviewScreenshotsByRules(shots, settings, album, context.autonomy)) },
      ];
    case 'llm_vision': {
      const { visionModel, budgetRefusal } = context;
      const chosen = chooseReviewer({
        purpose: 'vision',
        model: visionModel,
        writer: attempt.model,
        budgetRefusal,
      });
      if ('absence' in chosen) {
        const why = describeAbsence(chosen.absence);
        return [{ ...head, ...failedOpenVisionResult('could_not_run', why), because: why }];
      }
      const said = await reviewScreenshotsByModel(taskPieces, shots, settings, album, {
        ...context,
        visionModel: chosen.model,
      });
      return [{ ...head, because, ...said }];
    }
  }
}
