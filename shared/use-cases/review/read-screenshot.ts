import { hasScreenshotDigest } from '../../contract/evidence/screenshot-digest.ts';
import { MAX_SCREENSHOT_BYTES, type Screenshot, screenshotObjectKey } from '../../contract/screenshot.ts';
import { measurePicture, type PictureStatistics } from '../../reviews/review/vision/picture-statistics.ts';
import { InvalidPictureError } from '../../reviews/review/vision/png-pixels.ts';
import type { ObjectStore } from '../../store/object-store.ts';

/** Who has the pictures of an attempt. */
export interface AttemptScreenshotReader {
  readonly taskId: string;
  readonly attempt: number;
  readonly objects: Pick<ObjectStore, 'getRange'>;
}

/** A picture that was read to its end. */
interface DecodedScreenshot {
  readonly png: Buffer;
  readonly pixels: PictureStatistics;
}

/** A picture that the evidence names, when it is the one that the evidence tells of. @throws InvalidPictureError */
export async function readScreenshot(
  shot: Screenshot,
  { taskId, attempt, objects }: AttemptScreenshotReader,
  signal: AbortSignal,
): Promise<DecodedScreenshot> {
  const found = await objects.getRange(screenshotObjectKey(taskId, attempt, shot), 0, MAX_SCREENSHOT_BYTES);
  try {
    if (!found) throw new InvalidPictureError('is not kept any more');
    if (!hasScreenshotDigest(found.body, shot))
      throw new InvalidPictureError('is not what the evidence tells of');
    const png = Buffer.from(found.body);
    return { png, pixels: await measurePicture(png, shot, signal) };
  } catch (error) {
    throw error instanceof InvalidPictureError
      ? new InvalidPictureError(`${shot.name} ${error.message}`)
      : error;
  }
}
