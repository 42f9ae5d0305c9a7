import * as z from 'zod';
import { s3ObjectKeys } from './resource-names.ts';

/** Most pictures of one gate. */
export const MAX_SCREENSHOTS_PER_GATE = 12;
/** Largest picture in bytes of its PNG. */
export const MAX_SCREENSHOT_BYTES = 2 * 1_048_576;
/** Largest side in pixels. */
export const MAX_SCREENSHOT_SIDE = 4_096;

/** What a picture is asked for by: a word, never a path. */
export const ScreenshotName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit');

/** Where on the application: a path, with a query where it needs one. What a URL would read as another host is none. */
export const ScreenshotPath = z
  .string()
  .max(500)
  .regex(
    /^\/(?![/\\])[!-~]*$/,
    'must be a path of the application that begins with one /, in printable ASCII without spaces',
  );

const Side = z.number().int().min(1).max(MAX_SCREENSHOT_SIDE);

/** A picture of one page of the application, as our browser took it. The PNG itself lies beside the evidence, under its digest. */
export const Screenshot = z.strictObject({
  name: ScreenshotName,
  /** What was asked for, from the root of the application on. */
  path: ScreenshotPath,
  /** In pixels. */
  width: Side,
  height: Side,
  /** Of the PNG, in lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  /** Of the PNG. */
  bytes: z.number().int().min(1).max(MAX_SCREENSHOT_BYTES),
});
export type Screenshot = z.infer<typeof Screenshot>;

/** Pictures of one gate; each name once, because they are asked for by it. */
export const ScreenshotList = z
  .array(Screenshot)
  .max(MAX_SCREENSHOTS_PER_GATE)
  .refine((shots) => new Set(shots.map(({ name }) => name)).size === shots.length, {
    message: 'each name may be there once',
  });

/** All pictures that evidence names, in the order of its gates. */
export const listScreenshots = ({
  gates,
}: {
  readonly gates: readonly { readonly screenshots?: readonly Screenshot[] | undefined }[];
}): Screenshot[] => gates.flatMap(({ screenshots = [] }) => screenshots);

/** S3 key of the PNG of an attempt's picture. */
export const screenshotObjectKey = (
  taskId: string,
  attempt: number,
  { sha256 }: Pick<Screenshot, 'sha256'>,
): string => s3ObjectKeys.screenshot(taskId, attempt, sha256);
