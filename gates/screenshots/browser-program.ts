import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { BrowserJob, PageResult } from './browser-job.ts';
import { capturePages } from './capture-pages.ts';
import { DevToolsPipe } from './devtools-pipe.ts';
import { serveFolder } from './static-server.ts';

/** Drives a browser as the user of a room: `take` reads a Job from standard input and writes `results.json` into its folder. */
async function take(): Promise<void> {
  const job = JSON.parse(await text(process.stdin)) as BrowserJob;
  const profile = join(job.folder, 'profile');
  await mkdir(profile, { recursive: true });
  const child = spawn(job.browser, buildBrowserArguments(profile), {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
    // It makes a socket there, and the path of one has 107 bytes at most: a room lies deeper than that.
    cwd: tmpdir(),
    env: { ...process.env, TMPDIR: '.' },
  });
  const pipe = new DevToolsPipe(child.stdio[4] as Readable, child.stdio[3] as Writable);
  child.once('error', (error) => pipe.end(`the browser could not be started: ${error.message}`));
  const results: PageResult[] = await capturePages(pipe, job);
  await writeFile(join(job.folder, 'results.json'), JSON.stringify(results));
  // Whoever started us ends what is left of the browser.
  process.exit(0);
}

const [mode, folder = '.'] = process.argv.slice(2);
if (mode === 'serve') await serveFolder(folder, Number(process.env['PORT']));
else await take();

/** A port without a listener: requests for other machines end there. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Builds the arguments of the browser: without anything of its own on the network, with loopback as all that it reaches, and with the same
 * picture of the same page, as far as that goes. It has no sandbox of its own: it runs as a user who can do nothing else.
 */
export const buildBrowserArguments = (profile: string): string[] => [
  '--headless=new',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  // /dev/shm of a container is small.
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
  '--no-pings',
  '--mute-audio',
  '--password-store=basic',
  // Loopback goes past a proxy by itself, and link-local with it; so the rule for both is taken away.
  `--proxy-server=${NOWHERE}`,
  '--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-device-scale-factor=1',
  '--force-color-profile=srgb',
  '--force-prefers-reduced-motion',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--hide-scrollbars',
  '--lang=en-US',
  'about:blank',
];
