import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { VisionSettings } from '../../contract/review/vision-settings.ts';
import type { Screenshot } from '../../contract/screenshot.ts';
import type { ReviewGateResult } from '../../reviews/review/review-gate-result.ts';
import type { PictureStatistics } from '../../reviews/review/vision/picture-statistics.ts';
import { InvalidPictureError } from '../../reviews/review/vision/png-pixels.ts';
import { visionResult } from '../../reviews/review/vision/vision-review.ts';
import {
  pictureForExpectation,
  unmetExpectationFinding,
} from '../../reviews/review/vision/visual-expectations.ts';
import { readScreenshot, type ScreenshotSource, withReviewTimeout } from './read-screenshot.ts';

/** Holds pictures against what a workflow expects of them, by their pixels alone. */
export const reviewScreenshotsByRules = (
  shots: readonly Screenshot[],
  settings: VisionSettings,
  album: ScreenshotSource,
  autonomy: AutonomyLevel,
): Promise<ReviewGateResult> =>
  withReviewTimeout(settings.timeout_s, async (signal) => {
    const known = new Map<string, PictureStatistics>();
    const findings = [];
    for (const expectation of settings.expectations) {
      const shot = pictureForExpectation(expectation, shots);
      if (!shot) throw new InvalidPictureError(`there is no picture ${expectation.screenshot}`);
      const looks = known.get(shot.name) ?? (await readScreenshot(shot, album, signal)).pixels;
      known.set(shot.name, looks);
      const finding = unmetExpectationFinding(expectation, { name: shot.name, statistics: looks }, settings);
      if (finding) findings.push(finding);
    }
    const summary = findings.map(({ description, evidence }) => `${description}: ${evidence[0]}`).join('; ');
    return visionResult({ findings, summary, confidence: 1 }, autonomy);
  });
