import { lstat, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readPngSize } from '../../shared/contract/evidence/png-size.ts';
import { MAX_SCREENSHOT_BYTES } from '../../shared/contract/screenshot.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import type { CapturedScreenshot } from '../core/gate.ts';
import { PageResult, type ScreenshotPage } from './browser-job.ts';

/** Twelve pages with all that may be said of them. */
const MAX_RESULTS_BYTES = 512 * 1_024;

/**
 * A file that a room has left, when it is an ordinary one of its folder; null otherwise. Nobody is in the room any more, so what is
 * seen of it is what is read.
 * @param folder real path of a folder that is not the room's to replace.
 */
async function readLeftFile(folder: string, name: string, most: number): Promise<Buffer | null> {
  try {
    const path = join(folder, name);
    if ((await realpath(path)) !== path) return null;
    const { size, nlink } = await lstat(path);
    const isFile = (await lstat(path)).isFile();
    return isFile && nlink === 1 && size > 0 && size <= most ? await readFile(path) : null;
  } catch {
    return null;
  }
}

/** What the program says of each page; null: it says nothing that could be read. */
export async function readPageResults(
  folder: string,
  pages: readonly ScreenshotPage[],
): Promise<PageResult[] | null> {
  const text = await readLeftFile(folder, 'shots/results.json', MAX_RESULTS_BYTES);
  if (text === null) return null;
  try {
    return z
      .array(PageResult)
      .length(pages.length)
      .parse(JSON.parse(text.toString('utf8')));
  } catch {
    return null;
  }
}

/** The picture of a page, when it is a PNG of the size that was asked for; null otherwise. */
export async function readScreenshot(
  folder: string,
  index: number,
  page: ScreenshotPage,
): Promise<CapturedScreenshot | null> {
  const png = await readLeftFile(folder, `shots/${index}.png`, MAX_SCREENSHOT_BYTES);
  const size = png && readPngSize(png);
  if (!png || size?.width !== page.width || size.height !== page.height) return null;
  const { name, path, width, height } = page;
  return { png, screenshot: { name, path, width, height, sha256: sha256(png), bytes: png.length } };
}
