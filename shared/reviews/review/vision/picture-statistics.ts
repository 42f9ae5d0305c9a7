import { type PictureSize, readPixels } from './png-pixels.ts';

export type Rgb = readonly [number, number, number];

/** What is measured of a picture. */
export interface PictureStatistics {
  /** The mean of each channel; opacity is left out. */
  readonly mean: Rgb;
  /** All pixels have one colour. */
  readonly isBlank: boolean;
}

/** Rounds to the nearest whole number, halves to the even one. */
export function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest > 0.5 ? below + 1 : below;
  return below % 2 === 0 ? below : below + 1;
}

/** Measures a picture in one reading. @throws InvalidPictureError */
export async function measurePicture(
  png: Buffer,
  size: PictureSize,
  signal?: AbortSignal,
): Promise<PictureStatistics> {
  const sums: [number, number, number] = [0, 0, 0];
  let first: Rgb | null = null;
  let isBlank = true;
  await readPixels(
    png,
    size,
    (line, bytes) => {
      for (let at = 0; at < line.length; at += bytes) {
        const [r, g, b] = [line[at] ?? 0, line[at + 1] ?? 0, line[at + 2] ?? 0];
        first ??= [r, g, b];
        isBlank &&= r === first[0] && g === first[1] && b === first[2];
        sums[0] += r;
        sums[1] += g;
        sums[2] += b;
      }
    },
    signal,
  );
  const pixels = size.width * size.height;
  const [r, g, b] = sums;
  return {
    mean: [roundHalfToEven(r / pixels), roundHalfToEven(g / pixels), roundHalfToEven(b / pixels)],
    isBlank,
  };
}

const FARTHEST = Math.sqrt(3 * 255 ** 2);

/** How far two colours are from each other: 0 the same, 1 black and white. */
export const colourDistance = (one: Rgb, other: Rgb): number =>
  Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]) / FARTHEST;
