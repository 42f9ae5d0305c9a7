import { lstat, readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { readPngSize } from '../../shared/contract/evidence/png-size.ts';
import type { CheckFinding } from '../../shared/contract/evidence/schema.ts';
import { MAX_SCREENSHOT_BYTES } from '../../shared/contract/screenshot.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { emptyTreeId } from '../../workspace/git/git-store.ts';
import type { ProcessResult } from '../../workspace/process/run-process.ts';
import type { CapturedScreenshot, GateContext, GateResult } from '../core/gate.ts';
import { runWithService } from '../core/service.ts';
import {
  findBrowser,
  PageCaptureResult,
  type ScreenshotBrowserRequest,
  type ScreenshotPage,
} from './browser-job.ts';
import type { ScreenshotsSetting } from './screenshots-setting.ts';

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
export async function readPageCaptureResults(
  folder: string,
  pages: readonly ScreenshotPage[],
): Promise<PageCaptureResult[] | null> {
  const text = await readLeftFile(folder, 'shots/results.json', MAX_RESULTS_BYTES);
  if (text === null) return null;
  try {
    return z
      .array(PageCaptureResult)
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

/** The program that drives the browser: a source here, elsewhere a bundle that lies beside ours. */
const PROGRAM = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'browser-program.ts' : 'screenshots.mjs',
);

/** Time for the browser to start, and to write what it has seen, in milliseconds. */
const START_MS = 20_000;

type ScreenshotsOutcome = Pick<GateResult, 'outcome' | 'detail'>;
const createScreenshotsResult = (result: ScreenshotsOutcome): GateResult => ({
  kind: 'executed',
  findings: [],
  ...result,
});

/** A port of loopback that nobody has at the moment. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const NOT_TAKEN: Readonly<Record<Exclude<PageCaptureResult['end'], 'taken'>, string>> = {
  not_loaded: 'could not be loaded',
  left: 'does not stay on the application',
  timed_out: 'was not there in time',
  crashed: 'has crashed',
  too_large: 'makes a picture that is larger than 2 MiB',
  browser_ended: 'was not shown, because the browser has ended',
};

/** What is wrong with a page, as far as the browser noticed. */
function findingsOf(
  page: ScreenshotPage,
  { end, detail, status, errors }: PageCaptureResult,
): CheckFinding[] {
  const found = (rule: string, message: string): CheckFinding => ({ file: null, line: null, rule, message });
  const of = `${page.name} (${page.path})`;
  return [
    ...(end === 'taken' ? [] : [found(`page_${end}`, `${of} ${NOT_TAKEN[end]}: ${detail}`)]),
    ...(status !== null && status >= 400 ? [found('page_status', `${of} answers ${status}`)] : []),
    ...errors.map((error) => found('page_console', `${of} has an error on its console: ${error}`)),
  ];
}

/** Ends of pages that are no fault of what was asked for: nobody can tell what the page would have shown. */
const INCONCLUSIVE_ENDS: ReadonlyMap<PageCaptureResult['end'], GateResult['outcome']> = new Map([
  ['browser_ended', 'infra_failed'],
  ['timed_out', 'timed_out'],
]);

const outputTail = ({ output }: ProcessResult): string => output.trim().slice(-500);

/** The program itself came to no result. */
function describeBrowserFailure(ran: ProcessResult): ScreenshotsOutcome {
  const { end, startError, exitCode } = ran;
  if (end === 'timed_out' || end === 'aborted')
    return { outcome: 'timed_out', detail: 'the browser was not done in time' };
  return {
    outcome: 'infra_failed',
    detail: `the browser could not be driven (${startError ?? exitCode ?? end}): ${outputTail(ran)}`,
  };
}

async function runBrowser(
  context: GateContext,
  job: Omit<ScreenshotBrowserRequest, 'folder'>,
  limitMs: number,
): Promise<GateResult> {
  const { sandboxes, store } = context.subject;
  // In no turn of its own: the application is in, and nobody else of another group until that has ended.
  const room = await sandboxes.createToolQuerySandbox(emptyTreeId(store));
  const tmp = await realpath(room.tmpFolder);
  const input = JSON.stringify({ ...job, folder: join(tmp, 'shots') } satisfies ScreenshotBrowserRequest);
  const ran = await room.run({ argv: [process.execPath, PROGRAM, 'take'], input }, limitMs);
  const results = ran.end === 'exited' ? await readPageCaptureResults(tmp, job.pages) : null;
  if (results === null) return createScreenshotsResult(describeBrowserFailure(ran));
  const shots: CapturedScreenshot[] = [];
  const findings: CheckFinding[] = [];
  for (const [index, page] of job.pages.entries()) {
    const said = results[index];
    if (!said) continue;
    const shot = said.end === 'taken' ? await readScreenshot(tmp, index, page) : null;
    if (shot) shots.push(shot);
    else if (said.end === 'taken')
      return createScreenshotsResult({
        outcome: 'infra_failed',
        detail: `the browser left no picture of ${page.name} in ${page.width} x ${page.height}`,
      });
    findings.push(...findingsOf(page, said));
  }
  const unknown = results.flatMap(({ end }) => INCONCLUSIVE_ENDS.get(end) ?? []);
  const known = results.some(
    (said) =>
      !INCONCLUSIVE_ENDS.has(said.end) &&
      (said.end !== 'taken' || said.errors.length > 0 || (said.status ?? 0) >= 400),
  );
  const outcome = known
    ? 'failed'
    : (unknown.find((each) => each === 'infra_failed') ?? unknown[0] ?? 'passed');
  return {
    outcome,
    kind: 'executed',
    findings,
    screenshots: shots,
    detail: [
      `${shots.length} of ${job.pages.length} screenshots taken`,
      ...findings.slice(0, 1).map(({ message }) => message),
      // Why it could not start, it says on its way out.
      ...(results.some(({ end }) => end === 'browser_ended') ? [outputTail(ran)] : []),
    ].join('; '),
    facts: { screenshots: shots.length, pages: job.pages.length, browser: basename(job.browser) },
  };
}

/** Starts the application and has a browser take a picture of each page. Judges nothing of what they show. */
export async function runScreenshotsGate(
  context: GateContext,
  settings: ScreenshotsSetting,
): Promise<GateResult> {
  const command = context.command ?? settings.command;
  const { folder, pages, ready, ready_s, page_s } = settings;
  if (command === undefined && folder === undefined)
    return createScreenshotsResult({
      outcome: 'could_not_run',
      detail: 'neither screenshots.command nor screenshots.folder is set',
    });
  const browser = await findBrowser();
  if (browser === null)
    return createScreenshotsResult({
      outcome: 'could_not_run',
      detail: 'there is no Chromium here: no screenshot was taken',
    });
  const left = context.subject.sandboxes.startTimeLimit(context.timeoutMs);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const lookMs = Math.min(left(), pages.length * page_s * 1_000 + START_MS);
  const service = {
    program:
      command !== undefined
        ? { line: command }
        : { argv: [process.execPath, PROGRAM, 'serve', folder ?? '.'] },
    env: { PORT: String(port), HOST: '127.0.0.1' },
    url: new URL(ready, origin),
    readyMs: Math.min(left(), ready_s * 1_000),
    limitMs: left(),
    // What the application says of a page is a finding; that it answers at all shows that it is up.
    readinessProblem: ({ status }: { readonly status: number }) =>
      status >= 500 ? { code: 'status' as const, status, wanted: null } : null,
  };
  const result = await runWithService(context.subject, service, () =>
    runBrowser(context, { browser, origin, pages, pageMs: page_s * 1_000 }, Math.min(lookMs, left())),
  );
  return 'findings' in result ? result : createScreenshotsResult(result);
}
