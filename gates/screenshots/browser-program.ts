import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildBrowserArguments } from './browser-arguments.ts';
import type { PageCaptureResult, ScreenshotBrowserRequest } from './browser-job.ts';
import { capturePages } from './capture-pages.ts';
import { DevToolsPipeClient } from './devtools-pipe.ts';
import { serveStaticFolder } from './static-server.ts';

/** Drives a browser as the user of a room: `take` reads a Job from standard input and writes `results.json` into its folder. */
async function take(): Promise<void> {
  const job = JSON.parse(await text(process.stdin)) as ScreenshotBrowserRequest;
  const profile = join(job.folder, 'profile');
  await mkdir(profile, { recursive: true });
  const child = spawn(job.browser, buildBrowserArguments(profile), {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
    // It makes a socket there, and the path of one has 107 bytes at most: a room lies deeper than that.
    cwd: tmpdir(),
    env: { ...process.env, TMPDIR: '.' },
  });
  const pipe = new DevToolsPipeClient(child.stdio[4] as Readable, child.stdio[3] as Writable);
  child.once('error', (error) => pipe.end(`the browser could not be started: ${error.message}`));
  const results: PageCaptureResult[] = await capturePages(pipe, job);
  await writeFile(join(job.folder, 'results.json'), JSON.stringify(results));
  // Whoever started us ends what is left of the browser.
  process.exit(0);
}

const [mode, folder = '.'] = process.argv.slice(2);
if (mode === 'serve') await serveStaticFolder(folder, Number(process.env['PORT']));
else await take();
