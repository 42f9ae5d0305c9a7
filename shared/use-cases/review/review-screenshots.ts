import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { VisionSettings } from '../../contract/review/vision-settings.ts';
import { listScreenshots, type Screenshot } from '../../contract/screenshot.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { PromptPicture } from '../../reviews/engine/ask-model-port.ts';
import {
  createMissingOpinion,
  type ReviewerContext,
  runSingleQuestionReviewer,
} from '../../reviews/engine/engine.ts';
import type { MissingOpinionReason } from '../../reviews/engine/missing-opinion.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import type { ReviewOpinion } from '../../reviews/engine/reviewer.ts';
import type { PictureStatistics } from '../../reviews/review/vision/picture-statistics.ts';
import { InvalidPictureError } from '../../reviews/review/vision/png-pixels.ts';
import {
  findScreenshotForExpectation,
  findUnmetVisualExpectation,
} from '../../reviews/review/vision/visual-expectations.ts';
import {
  findVisionSettings,
  formVisionOpinion,
  precheckVisionReview,
  VISION_REVIEWER,
} from '../../reviews/reviewers/vision.ts';
import { type AttemptScreenshotReader, readScreenshot } from './read-screenshot.ts';

export interface ScreenshotReviewContext extends ReviewerContext {
  readonly objects: AttemptScreenshotReader['objects'];
  readonly autonomy: AutonomyLevel;
}

export interface ReviewedScreenshots {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly evidence: Pick<Evidence, 'gates'>;
  readonly pieces: readonly ReviewPiece[];
}

/** Most bytes of pictures that one question shows: as base64 that is what all providers take of one. */
export const MAX_QUESTION_IMAGE_BYTES = 12 * 1_048_576;

/** Splits off the pictures that fit into one question, from the first on. */
function splitByImageBytes(shots: readonly Screenshot[]): {
  readonly shown: Screenshot[];
  readonly omitted: Screenshot[];
} {
  let room = MAX_QUESTION_IMAGE_BYTES;
  const shown = shots.filter(({ bytes }) => {
    if (room < bytes) return false;
    room -= bytes;
    return true;
  });
  return { shown, omitted: shots.filter((shot) => !shown.includes(shot)) };
}

/** Returns what reading pictures comes to; a picture that is invalid, or not read in time, is an absence. */
async function withReadTimeout<Result>(
  seconds: number,
  read: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | MissingOpinionReason> {
  const signal = AbortSignal.timeout(seconds * 1_000);
  const absence = (outcome: 'timed_out' | 'infra_failed', why: string): MissingOpinionReason => ({
    code: 'unreadable_material',
    outcome,
    why,
  });
  try {
    return await read(signal);
  } catch (error) {
    if (signal.aborted) return absence('timed_out', `they were not read within ${seconds} s`);
    if (error instanceof InvalidPictureError) return absence('infra_failed', error.message);
    throw error;
  }
}

/** Compares pictures with what a workflow expects of them, by their pixels alone. */
async function reviewByRules(
  shots: readonly Screenshot[],
  settings: VisionSettings,
  source: AttemptScreenshotReader,
  autonomy: AutonomyLevel,
): Promise<ReviewOpinion> {
  const read = await withReadTimeout(settings.timeout_s, async (signal) => {
    const known = new Map<string, PictureStatistics>();
    const findings = [];
    for (const expectation of settings.expectations) {
      const shot = findScreenshotForExpectation(expectation, shots);
      if (!shot) throw new InvalidPictureError(`there is no picture ${expectation.screenshot}`);
      const statistics = known.get(shot.name) ?? (await readScreenshot(shot, source, signal)).pixels;
      known.set(shot.name, statistics);
      const finding = findUnmetVisualExpectation(expectation, { name: shot.name, statistics }, settings);
      if (finding) findings.push(finding);
    }
    return findings;
  });
  if ('code' in read) return createMissingOpinion(VISION_REVIEWER, undefined, read);
  const summary = read.map(({ description, evidence }) => `${description}: ${evidence[0]}`).join('; ');
  return formVisionOpinion({ findings: read, summary, confidence: 1 }, autonomy);
}

/** Reviews pictures of the work that has passed so far; no judgement where the workflow does not want one. */
export async function reviewScreenshots(
  { task, attempt, evidence, pieces }: ReviewedScreenshots,
  { objects, autonomy, ...context }: ScreenshotReviewContext,
): Promise<Judgement[]> {
  const settings = findVisionSettings(task);
  if (!settings) return [];
  const shots = listScreenshots(evidence);
  const source: AttemptScreenshotReader = { taskId: task.id, attempt: attempt.number, objects };
  const split = splitByImageBytes(shots);
  const because = `asked: the workflow has pictures looked at by ${settings.verifier}`;
  const missing = precheckVisionReview(evidence, task, settings);
  const early =
    missing === null && settings.verifier === 'heuristic'
      ? { ...(await reviewByRules(shots, settings, source, autonomy)), request_reason: because }
      : missing;
  const load = () =>
    withReadTimeout(settings.timeout_s, async (signal) => {
      const pictures: PromptPicture[] = [];
      for (const shot of split.shown) pictures.push(await readScreenshot(shot, source, signal));
      return { pieces, pictures };
    });
  return [
    await runSingleQuestionReviewer(VISION_REVIEWER, { settings, autonomy, early, ...split }, load, context),
  ];
}
