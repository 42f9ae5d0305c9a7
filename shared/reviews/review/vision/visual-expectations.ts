import type { VisionSettings, VisualExpectation } from '../../../contract/review/vision-settings.ts';
import { colourDistance, type PictureStatistics, type Rgb } from './picture-statistics.ts';
import type { VisionFinding } from './vision-finding.ts';

/** A picture with what was measured of it. */
export interface MeasuredPicture {
  readonly name: string;
  readonly statistics: PictureStatistics;
}

const colour = (rgb: Rgb): string => `(${rgb.join(', ')})`;

/** What is wrong with a picture, or null. */
function mismatchReason(
  expectation: VisualExpectation,
  { mean, isBlank }: PictureStatistics,
  tolerance: number,
): string | null {
  if (expectation.kind === 'not_blank') return isBlank ? `every pixel is ${colour(mean)}` : null;
  const { expected_rgb: expected, tolerance: own = tolerance } = expectation;
  const far = colourDistance(mean, expected);
  return far > own
    ? `the mean colour is ${colour(mean)}, ${far.toFixed(3)} from ${colour(expected)}; ${own} is allowed`
    : null;
}

/** Which picture an expectation is about, by name: the last where it names none; undefined: there is no such picture. */
export const pictureForExpectation = <Named extends { readonly name: string }>(
  { screenshot }: Pick<VisualExpectation, 'screenshot'>,
  pictures: readonly Named[],
): Named | undefined =>
  screenshot === undefined ? pictures.at(-1) : pictures.find(({ name }) => name === screenshot);

/** What speaks against a picture that does not meet an expectation; null: it does. */
export function unmetExpectationFinding(
  expectation: VisualExpectation,
  { name, statistics }: MeasuredPicture,
  { colour_tolerance }: Pick<VisionSettings, 'colour_tolerance'>,
): VisionFinding | null {
  const why = mismatchReason(expectation, statistics, colour_tolerance);
  if (why === null) return null;
  const { severity, description, kind } = expectation;
  return {
    category: kind === 'not_blank' ? 'visual_defect' : 'requirements_mismatch',
    severity,
    description,
    evidence: [`${name}: ${why}`],
    suggested_fix: '',
    screenshot: name,
  };
}
