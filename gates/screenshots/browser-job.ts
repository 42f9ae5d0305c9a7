import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import {
  MAX_SCREENSHOT_SIDE,
  MAX_SCREENSHOTS_PER_GATE,
  ScreenshotName,
  ScreenshotPath,
} from '../../shared/contract/screenshot.ts';

const Side = z.number().int().min(16).max(MAX_SCREENSHOT_SIDE);

/** A page that a picture is taken of. */
export const ScreenshotPage = z.strictObject({
  name: ScreenshotName,
  path: ScreenshotPath.default('/'),
  /** Of the window, in pixels. */
  width: Side.default(1_280),
  height: Side.default(800),
});
export type ScreenshotPage = z.infer<typeof ScreenshotPage>;

export const ScreenshotPagesSetting = z
  .array(ScreenshotPage)
  .min(1)
  .max(MAX_SCREENSHOTS_PER_GATE)
  .refine((pages) => new Set(pages.map(({ name }) => name)).size === pages.length, {
    message: 'each name may be there once',
  });

/** What the program that drives the browser is told, as JSON on its standard input. */
export interface ScreenshotBrowserRequest {
  /** Path of the browser. */
  readonly browser: string;
  /** Of the application: `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly pages: readonly ScreenshotPage[];
  /** Most time for one page, in milliseconds. */
  readonly pageMs: number;
  /** An existing folder of its own; pictures come into it as `<number of the page>.png`. */
  readonly folder: string;
}

/**
 * What came of a page. Of a picture that was not taken: `not_loaded` (no answer, or refused by the browser), `left` (the page is
 * elsewhere now), `timed_out`, `crashed` (the page ended the part of the browser that shows it), `too_large`, `browser_ended`.
 */
const PAGE_ENDS = [
  'taken',
  'not_loaded',
  'left',
  'timed_out',
  'crashed',
  'too_large',
  'browser_ended',
] as const;

export const MAX_PAGE_ERRORS = 20;
export const MAX_PAGE_TEXT_CHARACTERS = 300;
const Text = z.string().max(MAX_PAGE_TEXT_CHARACTERS);

/** What the program says of each page, in their order. It runs beside the application: what it says is read like anything of the patch. */
export const PageCaptureResult = z.strictObject({
  end: z.enum(PAGE_ENDS),
  /** More about it, empty where there is none. */
  detail: Text,
  /** HTTP status of the page itself; null: it has not answered. */
  status: z.number().int().min(0).max(999).nullable(),
  /** What the page wrote to the console as errors, and exceptions that nobody caught. */
  errors: z.array(Text).max(MAX_PAGE_ERRORS),
});
export type PageCaptureResult = z.infer<typeof PageCaptureResult>;

/** Debian's names of it, Google's, and those of other systems, the most likely first. */
export const BROWSER_EXECUTABLE_NAMES = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
] as const;

const runs = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Path of the browser of this machine; null: there is none. */
export async function findBrowser(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const set = env[CONTAINER_ENV_NAMES.browser];
  if (set !== undefined && set !== '') return isAbsolute(set) && (await runs(set)) ? set : null;
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const name of BROWSER_EXECUTABLE_NAMES)
    for (const folder of folders) if (await runs(join(folder, name))) return join(folder, name);
  return null;
}
