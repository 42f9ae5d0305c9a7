import { isScreenshot } from '../../contract/evidence/is-screenshot.ts';
import { MAX_SCREENSHOT_BYTES, type Screenshot, screenshotKey } from '../../contract/screenshot.ts';
import type { GateSaid } from '../../reviews/review/gate-word.ts';
import { type Looks, looksOf } from '../../reviews/review/vision/looks.ts';
import { BadPicture } from '../../reviews/review/vision/pixels.ts';
import { unseen } from '../../reviews/review/vision/vision.ts';
import type { ObjectStore } from '../../store/objects.ts';

/** Who has the pictures of an attempt. */
export interface Album {
  readonly taskId: string;
  readonly attempt: number;
  readonly objects: Pick<ObjectStore, 'part'>;
}

/** A picture that was read to its end. */
interface Read {
  readonly png: Buffer;
  readonly looks: Looks;
}

/** A picture that the evidence names, when it is the one that the evidence tells of. @throws BadPicture */
export async function readPicture(
  shot: Screenshot,
  { taskId, attempt, objects }: Album,
  signal: AbortSignal,
): Promise<Read> {
  const found = await objects.part(screenshotKey(taskId, attempt, shot), 0, MAX_SCREENSHOT_BYTES);
  try {
    if (!found) throw new BadPicture('is not kept any more');
    if (!isScreenshot(found.body, shot)) throw new BadPicture('is not what the evidence tells of');
    const png = Buffer.from(found.body);
    return { png, looks: await looksOf(png, shot, signal) };
  } catch (error) {
    throw error instanceof BadPicture ? new BadPicture(`${shot.name} ${error.message}`) : error;
  }
}

/** What comes of looking; a picture that cannot be read, or is not read in time, leaves the gate open. */
export async function looking<Said>(
  seconds: number,
  look: (signal: AbortSignal) => Promise<Said>,
): Promise<Said | GateSaid> {
  const signal = AbortSignal.timeout(seconds * 1_000);
  try {
    return await look(signal);
  } catch (error) {
    if (signal.aborted) return unseen('timed_out', `they were not read within ${seconds} s`);
    if (error instanceof BadPicture) return unseen('infra_failed', error.message);
    throw error;
  }
}
