import { chmodSync, linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { screenshotsGate } from '../../../gates/gates/screenshots.ts';
import { buildBrowserArguments } from '../../../gates/screenshots/browser-arguments.ts';
import {
  findBrowser,
  MAX_PAGE_TEXT_CHARACTERS,
  type PageCaptureResult,
  ScreenshotPage,
} from '../../../gates/screenshots/browser-job.ts';
import { ScreenshotsSetting } from '../../../gates/screenshots/screenshots-setting.ts';
import { resolveServedFile } from '../../../gates/screenshots/static-server.ts';
import { readPageCaptureResults, readScreenshot } from '../../../gates/screenshots/take-screenshots.ts';
import { readPngSize } from '../../../shared/contract/evidence/png-size.ts';
import { MAX_SCREENSHOT_BYTES } from '../../../shared/contract/screenshot.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';
import { runGateOnRepository } from '../../support/run-gate-on-repository.ts';

const folder = (): string => realpathSync(createTemporaryFolder());

/** The beginning of a PNG of that size, and `bytes` in all. */
function png(width: number, height: number, bytes = 64): Buffer {
  const made = Buffer.alloc(bytes);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(made);
  made.writeUInt32BE(width, 16);
  made.writeUInt32BE(height, 20);
  return made;
}
const page = ScreenshotPage.parse({ name: 'start', width: 320, height: 240 });
const taken: PageCaptureResult = { end: 'taken', detail: '', status: 200, errors: [] };

describe('settings of screenshots', () => {
  it.each<[string, object, string]>([
    ['a name that is a path', { pages: [{ name: '../start' }] }, 'pages.0.name'],
    ['a name twice', { pages: [{ name: 'a' }, { name: 'a', path: '/b' }] }, 'pages'],
    ['thirteen pages', { pages: Array.from({ length: 13 }, (_, index) => ({ name: `p${index}` })) }, 'pages'],
    ['no page', { pages: [] }, 'pages'],
    ['another host', { pages: [{ name: 'a', path: '//example.org' }] }, 'pages.0.path'],
    ['a window without end', { pages: [{ name: 'a', width: 4_097 }] }, 'pages.0.width'],
    ['another host to wait for', { ready: 'http://example.org' }, 'ready'],
    ['a folder outside', { folder: '../site' }, 'folder'],
    ['a folder outside by a detour', { folder: 'site/../..' }, 'folder'],
    ['a folder of the machine', { folder: '/etc' }, 'folder'],
    ['a folder and a command', { folder: 'site', command: 'npm start' }, 'folder'],
    ['a key that nobody knows', { port: 80 }, ''],
  ])('refuse %s, and name the field', (_, settings, field) => {
    const { error } = ScreenshotsSetting.safeParse(settings);
    expect(error?.issues.map(({ path }) => path.join('.'))).toContain(field);
  });
});

describe('the gate', () => {
  const run = async (settings: object) => {
    const repository = createTestRepository({ a: '1' });
    const base = repository.git('rev-parse', 'HEAD');
    repository.commit({ a: '2' });
    return runGateOnRepository(screenshotsGate, repository, base, { settings: { screenshots: settings } });
  };

  it('could not run where nothing says what to start, and where there is no browser, and says so', async () => {
    expect(await run({})).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('folder'),
    });
    const before = { path: process.env['PATH'], set: process.env['ASSAY_CHROMIUM'] };
    process.env['ASSAY_CHROMIUM'] = '/nonexistent/chromium';
    try {
      expect(await run({ command: 'exit 1' })).toMatchObject({
        outcome: 'could_not_run',
        detail: 'there is no Chromium here: no screenshot was taken',
      });
    } finally {
      if (before.set === undefined) delete process.env['ASSAY_CHROMIUM'];
      else process.env['ASSAY_CHROMIUM'] = before.set;
    }
  });

  it('finds the browser on the PATH, or the one that is set, and takes no other for that', async () => {
    const [first, second] = [folder(), folder()];
    for (const path of [join(first, 'google-chrome'), join(second, 'chromium')]) {
      writeFileSync(path, '');
      chmodSync(path, 0o755);
    }
    const both = `${first}:relative:${second}`;
    expect(await findBrowser({ PATH: both })).toBe(join(second, 'chromium'));
    expect(await findBrowser({ PATH: first })).toBe(join(first, 'google-chrome'));
    expect(await findBrowser({ PATH: folder() })).toBeNull();
    expect(await findBrowser({ PATH: both, ASSAY_CHROMIUM: join(first, 'google-chrome') })).toBe(
      join(first, 'google-chrome'),
    );
    expect(await findBrowser({ PATH: both, ASSAY_CHROMIUM: '/nonexistent' })).toBeNull();
  });

  it('lets the browser reach loopback alone, and opens no port to drive it by', () => {
    const given = buildBrowserArguments('/profile');
    expect(given).toContain('--remote-debugging-pipe');
    expect(given).toContain('--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]');
    expect(given.filter((each) => each.startsWith('--remote-debugging-port'))).toEqual([]);
  });
});

describe('what the room has left', () => {
  const room = () => {
    const place = folder();
    mkdirSync(join(place, 'shots'));
    return place;
  };

  it('is a picture of the size that was asked for, and nothing else', async () => {
    const place = room();
    const put = (content: Buffer) => writeFileSync(join(place, 'shots/0.png'), content);
    put(png(320, 240));
    expect(await readScreenshot(place, 0, page)).toMatchObject({
      screenshot: { name: 'start', path: '/', width: 320, height: 240, bytes: 64 },
    });
    for (const other of [
      png(321, 240),
      png(60_000, 60_000),
      Buffer.from('GIF89a'),
      Buffer.alloc(0),
      png(320, 240, MAX_SCREENSHOT_BYTES + 1),
    ]) {
      put(other);
      expect(await readScreenshot(place, 0, page)).toBeNull();
    }
  });

  it('is never read through a link, of a file or of its folder', async () => {
    const secret = folder();
    writeFileSync(join(secret, '0.png'), png(320, 240));
    writeFileSync(join(secret, 'results.json'), JSON.stringify([taken]));
    const file = room();
    symlinkSync(join(secret, '0.png'), join(file, 'shots/0.png'));
    const hard = room();
    linkSync(join(secret, '0.png'), join(hard, 'shots/0.png'));
    const whole = folder();
    symlinkSync(secret, join(whole, 'shots'));
    for (const place of [file, hard, whole]) expect(await readScreenshot(place, 0, page)).toBeNull();
    expect(await readPageCaptureResults(whole, [page])).toBeNull();
  });

  it.each<[string, unknown]>([
    ['fewer results than pages', []],
    ['an end that nobody knows', [{ ...taken, end: 'fine' }]],
    ['words without end', [{ ...taken, detail: 'x'.repeat(MAX_PAGE_TEXT_CHARACTERS + 1) }]],
    ['another field', [{ ...taken, outcome: 'passed' }]],
    ['a text', 'passed'],
  ])('says nothing where it is %s', async (_, said) => {
    const place = room();
    writeFileSync(join(place, 'shots/results.json'), JSON.stringify(said));
    expect(await readPageCaptureResults(place, [page])).toBeNull();
  });

  it('says what it says where it can be read', async () => {
    const place = room();
    writeFileSync(join(place, 'shots/results.json'), JSON.stringify([taken]));
    expect(await readPageCaptureResults(place, [page])).toEqual([taken]);
  });
});

test('whatever the bytes are, the size of a PNG is told or is not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(readPngSize(Buffer.from(bytes))).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.nat(2 ** 31), fc.nat(2 ** 31), (width, height) => {
      expect(readPngSize(png(width, height))).toEqual({ width, height });
    }),
  );
});

test('only files of the folder are served, by whatever path one asks', async () => {
  const top = folder();
  const root = join(top, 'site');
  mkdirSync(join(root, 'a'), { recursive: true });
  for (const file of ['secret', 'site-secret', 'site/index.html', 'site/a/index.html', 'site/ö.txt'])
    writeFileSync(join(top, file), '');
  symlinkSync(join(top, 'secret'), join(root, 'link'));
  expect(await resolveServedFile(root, '/?a=/b')).toBe(join(root, 'index.html'));
  expect(await resolveServedFile(root, '/a/')).toBe(join(root, 'a/index.html'));
  expect(await resolveServedFile(root, '/%C3%B6.txt')).toBe(join(root, 'ö.txt'));
  for (const path of [
    '/../secret',
    '/%2e%2e/secret',
    '/..%2fsecret',
    '/../site-secret',
    '/link',
    '/%',
    '/none',
    '/%00',
  ])
    expect(await resolveServedFile(root, path)).toBeNull();
});
