import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import type { VisionSettings } from '../../contract/review/vision-settings.ts';
import type { Screenshot } from '../../contract/screenshot.ts';
import type { AskModel, PromptPicture } from '../../reviews/engine/ask-model-port.ts';
import { modelReceipt } from '../../reviews/engine/engine.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import type { ReviewGateResult } from '../../reviews/review/review-gate-result.ts';
import type { VisionReport } from '../../reviews/review/vision/vision-finding.ts';
import {
  failedOpenVisionResult,
  visionQuestion,
  visionResult,
} from '../../reviews/review/vision/vision-review.ts';
import { readScreenshot, type ScreenshotSource, withReviewTimeout } from './read-screenshot.ts';

/** Bytes of pictures that one question shows: as base64 that is what all providers take of one. */
export const MAX_QUESTION_IMAGE_BYTES = 12 * 1_048_576;

/** As many pictures as one question holds, from the first on. */
function splitByImageBytes(shots: readonly Screenshot[]): {
  readonly shown: Screenshot[];
  readonly left: Screenshot[];
} {
  let room = MAX_QUESTION_IMAGE_BYTES;
  const shown = shots.filter(({ bytes }) => {
    if (room < bytes) return false;
    room -= bytes;
    return true;
  });
  return { shown, left: shots.filter((shot) => !shown.includes(shot)) };
}

const omittedScreenshotFinding = (left: readonly Screenshot[]): VisionReport['findings'] =>
  left.length === 0
    ? []
    : [
        {
          category: 'visual_defect',
          severity: 'info',
          description: `not looked at, for want of room: ${left.map(({ name }) => name).join(', ')}`,
          evidence: [],
          suggested_fix: '',
          screenshot: '',
        },
      ];

interface ModelReviewContext {
  readonly ask: AskModel;
  readonly visionModel: JudgeModel;
  readonly autonomy: AutonomyLevel;
  readonly now: () => Date;
}

/** Shows pictures to a model, beside what the task says. What no reader of ours can read to its end is shown to nobody. */
export const reviewScreenshotsByModel = (
  about: readonly ReviewPiece[],
  shots: readonly Screenshot[],
  settings: VisionSettings,
  album: ScreenshotSource,
  { ask, visionModel, autonomy, now }: ModelReviewContext,
): Promise<ReviewGateResult & Partial<Judgement>> =>
  withReviewTimeout(settings.timeout_s, async (signal) => {
    const { shown, left } = splitByImageBytes(shots);
    const pictures: PromptPicture[] = [];
    for (const shot of shown) pictures.push(await readScreenshot(shot, album, signal));
    const question = visionQuestion(about, shown, pictures, settings);
    const answered = await ask(visionModel, question);
    const said =
      'outcome' in answered
        ? failedOpenVisionResult(answered.outcome, answered.why)
        : visionResult(
            { ...answered.value, findings: [...answered.value.findings, ...omittedScreenshotFinding(left)] },
            autonomy,
            question.injections,
          );
    return {
      ...said,
      ...modelReceipt(visionModel, question.prompt, answered, now()),
    };
  });
