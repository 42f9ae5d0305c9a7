import * as z from 'zod';
import { ScreenshotPath } from '../../shared/contract/screenshot.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { ScreenshotPagesSetting } from './browser-job.ts';

/** A folder of the checkout. What the checkout links to elsewhere is not served. */
const Folder = z
  .string()
  .max(500)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\\]+$/, 'must be a folder of the repository, without ..');

export const ScreenshotsSetting = z
  .strictObject({
    enabled: z.boolean().optional(),
    /** Starts the application; it has to listen on 127.0.0.1 at the port in `PORT`. */
    command: CommandLineSetting.optional(),
    /** What is served instead of an application that is started. */
    folder: Folder.optional(),
    /** Where the application answers once it is up. */
    ready: ScreenshotPath.default('/'),
    /** Most time for coming up, in seconds. */
    ready_s: z.number().int().min(1).max(600).default(60),
    /** Most time for one page, in seconds. */
    page_s: z.number().int().min(1).max(120).default(15),
    timeout_s: z.number().int().min(1).max(3_600).optional(),
    pages: ScreenshotPagesSetting.default([{ name: 'start', path: '/', width: 1_280, height: 800 }]),
  })
  .refine(({ command, folder }) => command === undefined || folder === undefined, {
    path: ['folder'],
    message: 'goes without a command: either the application is started or the folder served',
  });
export type ScreenshotsSetting = z.infer<typeof ScreenshotsSetting>;
