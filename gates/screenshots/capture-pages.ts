import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_SCREENSHOT_BYTES } from '../../shared/contract/screenshot.ts';
import {
  MAX_PAGE_ERRORS,
  MAX_PAGE_TEXT_CHARACTERS,
  type PageCaptureResult,
  type ScreenshotBrowserRequest,
  type ScreenshotPage,
} from './browser-job.ts';
import { BrowserConnectionError, type DevToolsPipeClient } from './devtools-pipe.ts';

/** Most time that a page is given to come to rest once it is loaded, in milliseconds. */
const REST_MS = 2_000;

const cut = (text: unknown): string => String(text ?? '').slice(0, MAX_PAGE_TEXT_CHARACTERS);

/** Ends what moves, and hides what blinks, in ways that no policy of the page forbids. Of what never ends the first picture stays. */
const STILL = `(async () => {
  const still = new CSSStyleSheet();
  still.replaceSync('*, *::before, *::after { caret-color: transparent !important; transition: none !important; scroll-behavior: auto !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  for (const each of document.getAnimations()) try { each.finish(); } catch { each.cancel(); }
  await document.fonts.ready;
})()`;

type Fields = Readonly<Record<string, unknown>>;
const at = (fields: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (value as Fields | null | undefined)?.[key], fields);

/** What is seen of a page while it is open. */
class PageState {
  readonly errors: string[] = [];
  readonly loaded = Promise.withResolvers<void>();
  readonly rested = Promise.withResolvers<void>();
  readonly broken = Promise.withResolvers<never>();
  status: number | null = null;
  /** Where the page is, as the browser says. */
  url = '';
  frame = '';

  constructor() {
    // Also when nobody waits for it any more.
    this.broken.promise.catch(() => {});
  }

  error(text: unknown): void {
    if (this.errors.length < MAX_PAGE_ERRORS) this.errors.push(cut(text));
  }

  hear(method: string, params: Fields): void {
    if (method === 'ended') this.broken.reject(new BrowserConnectionError('the browser has ended'));
    if (method === 'Inspector.targetCrashed')
      this.broken.reject(new PageCrashedError('the page has crashed'));
    if (method === 'Page.loadEventFired') this.loaded.resolve();
    if (method === 'Page.lifecycleEvent' && params['name'] === 'networkIdle') this.rested.resolve();
    if (method === 'Page.frameNavigated' && at(params, 'frame', 'parentId') === undefined)
      this.url = String(at(params, 'frame', 'unreachableUrl') ?? at(params, 'frame', 'url') ?? '');
    if (
      method === 'Network.responseReceived' &&
      params['type'] === 'Document' &&
      params['frameId'] === this.frame
    )
      this.status = Number(at(params, 'response', 'status')) || null;
    if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(String(params['type'])))
      this.error(
        (params['args'] as readonly Fields[] | undefined)
          ?.map((each) => String(each['value'] ?? each['description'] ?? ''))
          .join(' '),
      );
    if (method === 'Runtime.exceptionThrown')
      this.error(
        at(params, 'exceptionDetails', 'exception', 'description') ?? at(params, 'exceptionDetails', 'text'),
      );
    if (method === 'Log.entryAdded' && at(params, 'entry', 'level') === 'error') {
      const url = String(at(params, 'entry', 'url') ?? '');
      // Browsers ask for it by themselves, and the page's own answer is told by its status.
      if (!url.endsWith('/favicon.ico') && url !== this.url)
        this.error(`${at(params, 'entry', 'text')} (${url})`);
    }
  }
}

class PageCrashedError extends Error {}
class PageTimeoutError extends Error {}
class PageNotLoadedError extends Error {}
class PageNavigatedAwayError extends Error {}

const END_OF = new Map<unknown, PageCaptureResult['end']>([
  [BrowserConnectionError, 'browser_ended'],
  [PageCrashedError, 'crashed'],
  [PageTimeoutError, 'timed_out'],
  [PageNotLoadedError, 'not_loaded'],
  [PageNavigatedAwayError, 'left'],
]);

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'nowhere');

/** Takes one picture, in a window without a past. Never rejects because of the page. */
async function capturePage(
  pipe: DevToolsPipeClient,
  job: ScreenshotBrowserRequest,
  page: ScreenshotPage,
  file: string,
): Promise<PageCaptureResult> {
  const seen = new PageState();
  const over = new AbortController();
  const late = sleep(job.pageMs, undefined, { signal: over.signal }).then(
    () => {
      throw new PageTimeoutError(`after ${job.pageMs / 1_000} s`);
    },
    () => new Promise<never>(() => {}),
  );
  late.catch(() => {});
  const soon = <T>(work: Promise<T>): Promise<T> => Promise.race([work, seen.broken.promise, late]);
  let context: unknown;
  let unheard = (): void => {};
  try {
    context = (await soon(pipe.send('Target.createBrowserContext')))['browserContextId'];
    const { targetId } = await soon(
      pipe.send('Target.createTarget', { url: 'about:blank', browserContextId: context }),
    );
    const session = String(
      (await soon(pipe.send('Target.attachToTarget', { targetId, flatten: true })))['sessionId'],
    );
    const ask = (method: string, params?: Fields) => soon(pipe.send(method, params, session));
    unheard = pipe.listen(session, (method, params) => {
      seen.hear(method, params);
      // A page must not wait for somebody who reads what it says.
      if (method === 'Page.javascriptDialogOpening')
        pipe.send('Page.handleJavaScriptDialog', { accept: false }, session).catch(() => {});
    });
    await Promise.all(
      ['Page.enable', 'Network.enable', 'Runtime.enable', 'Log.enable', 'Inspector.enable'].map((each) =>
        ask(each),
      ),
    );
    await ask('Page.setLifecycleEventsEnabled', { enabled: true });
    await soon(pipe.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: context }));
    await ask('Emulation.setDeviceMetricsOverride', {
      width: page.width,
      height: page.height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await ask('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-reduced-motion', value: 'reduce' },
        { name: 'prefers-color-scheme', value: 'light' },
      ],
    });
    await ask('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
    await ask('Emulation.setLocaleOverride', { locale: 'en-US' });
    const tree = await ask('Page.getFrameTree');
    seen.frame = String(at(tree, 'frameTree', 'frame', 'id') ?? '');
    const url = `${job.origin}${page.path}`;
    const { errorText } = await ask('Page.navigate', { url });
    if (typeof errorText === 'string' && errorText !== '') throw new PageNotLoadedError(errorText);
    await soon(seen.loaded.promise);
    await soon(Promise.race([seen.rested.promise, sleep(REST_MS)]));
    const stay = (): void => {
      if (originOf(seen.url) !== job.origin) throw new PageNavigatedAwayError(`it has gone to ${seen.url}`);
    };
    stay();
    await soon(
      Promise.race([
        pipe.send('Runtime.evaluate', { expression: STILL, awaitPromise: true }, session).catch(() => null),
        sleep(REST_MS),
      ]),
    );
    const { data } = await ask('Page.captureScreenshot', { format: 'png', captureBeyondViewport: false });
    stay();
    const png = Buffer.from(String(data), 'base64');
    const { errors, status } = seen;
    if (png.length > MAX_SCREENSHOT_BYTES)
      return { end: 'too_large', detail: `${png.length} bytes`, status, errors };
    await writeFile(file, png);
    return { end: 'taken', detail: '', status, errors };
  } catch (error) {
    const end = END_OF.get(at(error, 'constructor')) ?? 'not_loaded';
    const detail = cut(error instanceof Error ? error.message : error);
    return { end, detail, status: seen.status, errors: seen.errors };
  } finally {
    over.abort();
    unheard();
    // What does not answer must not keep the next page waiting.
    if (context !== undefined)
      pipe.send('Target.disposeBrowserContext', { browserContextId: context }).catch(() => {});
  }
}

/** Takes the pictures one after the other. */
export async function capturePages(
  pipe: DevToolsPipeClient,
  job: ScreenshotBrowserRequest,
): Promise<PageCaptureResult[]> {
  const results: PageCaptureResult[] = [];
  for (const [index, page] of job.pages.entries())
    results.push(await capturePage(pipe, job, page, join(job.folder, `${index}.png`)));
  return results;
}
