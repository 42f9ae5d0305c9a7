import type { VisionSettings, VisualExpectation } from '../../../contract/review/vision-settings.ts';
import { colourDistance, type PictureStatistics, type Rgb } from './picture-statistics.ts';
import type { VisionFinding } from './vision-finding.ts';

/** A picture with what was measured of it. */
export interface MeasuredScreenshot {
  readonly name: string;
  readonly statistics: PictureStatistics;
}

const colour = (rgb: Rgb): string => `(${rgb.join(', ')})`;

type PictureMismatch =
  | { readonly code: 'blank'; readonly mean: Rgb }
  | {
      readonly code: 'colour';
      readonly mean: Rgb;
      readonly expected: Rgb;
      readonly distance: number;
      readonly allowed: number;
    };

/** Returns how a picture does not meet an expectation, or null. */
function pictureMismatch(
  expectation: VisualExpectation,
  { mean, isBlank }: PictureStatistics,
  tolerance: number,
): PictureMismatch | null {
  if (expectation.kind === 'not_blank') return isBlank ? { code: 'blank', mean } : null;
  const { expected_rgb: expected, tolerance: allowed = tolerance } = expectation;
  const distance = colourDistance(mean, expected);
  return distance > allowed ? { code: 'colour', mean, expected, distance, allowed } : null;
}

const describeMismatch = (mismatch: PictureMismatch): string =>
  mismatch.code === 'blank'
    ? `every pixel is ${colour(mismatch.mean)}`
    : `the mean colour is ${colour(mismatch.mean)}, ${mismatch.distance.toFixed(3)} from ${colour(mismatch.expected)}; ${mismatch.allowed} is allowed`;

/** Which picture an expectation is about, by name: the last where it names none; undefined: there is no such picture. */
export const findScreenshotForExpectation = <Named extends { readonly name: string }>(
  { screenshot }: Pick<VisualExpectation, 'screenshot'>,
  pictures: readonly Named[],
): Named | undefined =>
  screenshot === undefined ? pictures.at(-1) : pictures.find(({ name }) => name === screenshot);

/** What speaks against a picture that does not meet an expectation; null: it does. */
export function findUnmetVisualExpectation(
  expectation: VisualExpectation,
  { name, statistics }: MeasuredScreenshot,
  { colour_tolerance }: Pick<VisionSettings, 'colour_tolerance'>,
): VisionFinding | null {
  const mismatch = pictureMismatch(expectation, statistics, colour_tolerance);
  if (mismatch === null) return null;
  const { severity, description, kind } = expectation;
  return {
    category: kind === 'not_blank' ? 'visual_defect' : 'requirements_mismatch',
    severity,
    description,
    evidence: [`${name}: ${describeMismatch(mismatch)}`],
    suggested_fix: '',
    screenshot: name,
  };
}
