import type { VisionSettings, VisualExpectation } from '../../../contract/review/vision-schema.ts';
import type { VisionFinding } from './finding.ts';
import { distance, type Looks, type Rgb } from './looks.ts';

/** A picture with what was measured of it. */
export interface Measured {
  readonly name: string;
  readonly looks: Looks;
}

const colour = (rgb: Rgb): string => `(${rgb.join(', ')})`;

/** What is wrong with a picture, or null. */
function wrong(expectation: VisualExpectation, { mean, isBlank }: Looks, tolerance: number): string | null {
  if (expectation.kind === 'not_blank') return isBlank ? `every pixel is ${colour(mean)}` : null;
  const { expected_rgb: expected, tolerance: own = tolerance } = expectation;
  const far = distance(mean, expected);
  return far > own
    ? `the mean colour is ${colour(mean)}, ${far.toFixed(3)} from ${colour(expected)}; ${own} is allowed`
    : null;
}

/** Which picture an expectation is about, by name: the last where it names none; undefined: there is no such picture. */
export const pictureOf = <Named extends { readonly name: string }>(
  { screenshot }: Pick<VisualExpectation, 'screenshot'>,
  pictures: readonly Named[],
): Named | undefined =>
  screenshot === undefined ? pictures.at(-1) : pictures.find(({ name }) => name === screenshot);

/** What speaks against a picture that does not meet an expectation; null: it does. */
export function unmetBy(
  expectation: VisualExpectation,
  { name, looks }: Measured,
  { colour_tolerance }: Pick<VisionSettings, 'colour_tolerance'>,
): VisionFinding | null {
  const why = wrong(expectation, looks, colour_tolerance);
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
