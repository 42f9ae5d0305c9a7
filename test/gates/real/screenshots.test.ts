import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screenshotsGate } from '../../../gates/gates/screenshots.ts';
import { readPngSize } from '../../../shared/contract/evidence/png-size.ts';
import { hasScreenshotDigest } from '../../../shared/contract/evidence/screenshot-digest.ts';
import { measurePicture } from '../../../shared/reviews/review/vision/picture-statistics.ts';
import type { ProcessUser } from '../../../workspace/process/process-user.ts';
import { browserHere } from '../../page/support/browser.ts';
import { canConfine, getContainerUsers } from '../../support/confinement.ts';
import { createTestRepository } from '../../support/git-repository.ts';
import { runGateOnRepository } from '../../support/run-gate-on-repository.ts';
import { isReachableByAnyUser } from '../../support/world-readable.ts';

const browser = browserHere();
if (browser === null) console.warn('SKIPPED 17 tests of screenshots for want of chromium');

/** Whether somebody without any right can start the browser and this Node, and we can be such. */
const isForAll = ((): boolean => {
  const [user] = getContainerUsers('gates');
  if (!canConfine || browser === null || !user || !isReachableByAnyUser(process.execPath)) return false;
  try {
    execFileSync(browser, ['--version'], { uid: user.uid, gid: user.gid, stdio: 'ignore', env: {} });
    return true;
  } catch {
    return false;
  }
})();
if (!isForAll) console.warn('SKIPPED 1 test of screenshots: no browser here that every user can start');

/** An application whose answers are the text of a function of path and response. */
const app = (answers: string, before = ''): string => `
const { createServer } = require('node:http');
${before}
createServer((request, response) => { const path = request.url; ${answers} }).listen(Number(process.env.PORT), '127.0.0.1');
`;
const page = (body: string): string =>
  `response.setHeader('content-type', 'text/html'); response.end(${JSON.stringify(`<!doctype html><title>t</title><body style="margin:0">${body}`)});`;

let foreign: Server;
let asked = 0;
let elsewhere = '';
beforeAll(async () => {
  foreign = createServer(({ url }, response) => {
    // A browser may ask for an icon, too.
    if (url === '/') asked++;
    response.end('foreign');
  });
  await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done));
  const address = foreign.address();
  elsewhere = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(() => foreign.close());

async function shoot(
  files: Readonly<Record<string, string>>,
  settings: object,
  users?: readonly ProcessUser[],
) {
  const repository = createTestRepository({ 'README.md': 'a\n' });
  const base = repository.git('rev-parse', 'HEAD');
  repository.commit(files);
  return runGateOnRepository(screenshotsGate, repository, base, {
    settings: { screenshots: settings },
    ...(users && { users }),
  });
}
const shootApp = (answers: string, settings: object = {}, before = '') =>
  shoot(
    { 'app.cjs': app(answers, before) },
    { command: `exec ${process.execPath} app.cjs`, page_s: 6, ...settings },
  );

describe.skipIf(browser === null)('pictures of an application', () => {
  it('are read to their pixels: the colour of a page, and whether it is blank', async () => {
    const paint = (colour: string, body = '') =>
      page(`<div style="background:${colour};width:100%;height:100vh">${body}</div>`);
    for (const [answers, mean, isBlank] of [
      [paint('rgb(220, 20, 21)'), [220, 20, 21], true],
      [paint('rgb(0, 0, 255)', '<b style="background:#000">.</b>'), [0, 0, expect.closeTo(254, -0.5)], false],
    ] as const) {
      const { screenshots: [taken] = [] } = await shootApp(answers, {
        pages: [{ name: 'start', width: 200, height: 150 }],
      });
      if (!taken) throw new Error('no picture was taken');
      expect(await measurePicture(taken.png, taken.screenshot)).toEqual({ mean, isBlank });
    }
  });

  it('are taken of each page, in its size, and are the same the second time', async () => {
    const answers = page('<h1>Hello</h1><input autofocus><p style="animation: x 1s infinite">moves</p>');
    const pages = [{ name: 'start' }, { name: 'small', path: '/small?a=1', width: 320, height: 240 }];
    const [first, second] = [await shootApp(answers, { pages }), await shootApp(answers, { pages })];
    expect(first).toMatchObject({ outcome: 'passed', findings: [], kind: 'executed' });
    expect(
      first.screenshots?.map(({ screenshot }) => [
        screenshot.name,
        screenshot.path,
        screenshot.width,
        screenshot.height,
      ]),
    ).toEqual([
      ['start', '/', 1_280, 800],
      ['small', '/small?a=1', 320, 240],
    ]);
    for (const { screenshot, png } of first.screenshots ?? []) {
      expect(readPngSize(png)).toEqual({ width: screenshot.width, height: screenshot.height });
      expect(hasScreenshotDigest(png, screenshot)).toBe(true);
    }
    expect(second.screenshots?.map(({ screenshot }) => screenshot.sha256)).toEqual(
      first.screenshots?.map(({ screenshot }) => screenshot.sha256),
    );
  });

  it('are taken of a folder that is served, and of nothing outside of it', async () => {
    const files = {
      'site/index.html': '<!doctype html><link rel=stylesheet href=a.css><h1>Static</h1>',
      'site/a.css': 'body { background: rgb(255, 0, 0) }',
      'secret.html': 'not for anybody',
    };
    const pages = [{ name: 'start' }, { name: 'out', path: '/%2e%2e/secret.html' }];
    const result = await shoot(files, { folder: 'site', pages });
    expect(result).toMatchObject({
      outcome: 'failed',
      findings: [{ rule: 'page_status', message: 'out (/%2e%2e/secret.html) answers 404' }],
    });
  });

  it.each<[string, string, { outcome: string; rule?: string; says?: string }]>([
    [
      'a page that answers 500',
      `if (path === '/broken') response.statusCode = 500; ${page('x')}`,
      { outcome: 'failed', rule: 'page_status', says: 'answers 500' },
    ],
    [
      'an error on the console',
      page('<script>console.error("it", "broke")</script>'),
      { outcome: 'failed', rule: 'page_console', says: 'it broke' },
    ],
    [
      'an exception that nobody catches',
      page('<script>throw new Error("thrown")</script>'),
      { outcome: 'failed', rule: 'page_console', says: 'thrown' },
    ],
    [
      'a redirect to a file',
      `if (path === '/broken') { response.writeHead(302, { location: 'file:///etc/passwd' }).end(); return; } ${page('x')}`,
      { outcome: 'failed', rule: 'page_not_loaded' },
    ],
    [
      'a redirect to a foreign name',
      `if (path === '/broken') { response.writeHead(302, { location: 'http://example.org/' }).end(); return; } ${page('x')}`,
      { outcome: 'failed', rule: 'page_not_loaded' },
    ],
    [
      'a redirect to link-local addresses',
      `if (path === '/broken') { response.writeHead(302, { location: 'http://169.254.170.2/' }).end(); return; } ${page('x')}`,
      { outcome: 'failed', rule: 'page_not_loaded' },
    ],
    [
      'a page that never ends loading',
      `if (path === '/broken') { response.write('<h1>'); return; } ${page('x')}`,
      { outcome: 'timed_out', rule: 'page_timed_out' },
    ],
    [
      'a page that computes for ever',
      page('<script>if (location.pathname === "/broken") for (;;);</script>'),
      { outcome: 'timed_out', rule: 'page_timed_out' },
    ],
    [
      'a page that asks questions for ever',
      page('<script>if (location.pathname === "/broken") for (;;) alert(1);</script>'),
      { outcome: 'timed_out', rule: 'page_timed_out' },
    ],
  ])('tell of %s, and of the other page there is one', async (_, answers, wanted) => {
    const result = await shootApp(answers, {
      pages: [
        { name: 'broken', path: '/broken' },
        { name: 'start', path: '/' },
      ],
    });
    expect(result.outcome).toBe(wanted.outcome);
    expect(result.findings.map(({ rule }) => rule)).toContain(wanted.rule);
    expect(result.findings.map(({ message }) => message).join('\n')).toContain(wanted.says ?? '');
    expect(result.screenshots?.map(({ screenshot }) => screenshot.name)).toContain('start');
  });

  it('are none of another application on this machine', async () => {
    const result = await shootApp(
      `response.writeHead(302, { location: ${JSON.stringify(elsewhere)} }).end();`,
    );
    expect(result).toMatchObject({ outcome: 'failed', findings: [{ rule: 'page_left' }], screenshots: [] });
    expect(asked).toBe(1);
  });

  it('are none where a gigabyte comes, and the box is still there', async () => {
    const result = await shootApp(
      `if (path !== '/') { response.end('up'); return; } response.setHeader('content-type', 'text/html'); const more = () => { while (response.write('<b>'.repeat(20000))); response.once('drain', more); }; more();`,
      { ready: '/up', page_s: 4 },
    );
    expect(['timed_out', 'failed', 'infra_failed']).toContain(result.outcome);
    expect(result.screenshots ?? []).toEqual([]);
  });

  it('are none where the application ends the browser', async () => {
    // Of this run alone: its profile lies in a room beside the application's.
    const kill = [
      'while true; do for p in /proc/[0-9]*; do',
      'tr "\\0" " " < $p/cmdline 2>/dev/null | grep -q -- "--user-data-dir=$(dirname "$(dirname "$PWD")")/" && kill -9 $(basename $p)',
      'done; sleep 0.05; done',
    ].join('\n');
    const files = { 'app.cjs': app(`if (path === '/up') response.end('up');`), 'kill.sh': kill };
    const command = `bash kill.sh 2>/dev/null & exec ${process.execPath} app.cjs`;
    expect(await shoot(files, { command, ready: '/up' })).toMatchObject({
      outcome: 'infra_failed',
      findings: [{ rule: 'page_browser_ended' }],
      screenshots: [],
    });
  });

  it('are none where the application does not come up, or is broken', async () => {
    expect(await shoot({ a: '' }, { command: 'exit 3', page_s: 3 })).toMatchObject({ outcome: 'failed' });
    expect(await shoot({ a: '' }, { command: 'sleep 60', ready_s: 1 })).toMatchObject({
      outcome: 'timed_out',
    });
  });

  it.skipIf(!isForAll)(
    'are taken by another user than the application, where there are several, who leaves nothing running',
    async () => {
      const users = getContainerUsers('gates').slice(0, 4);
      const files = {
        'app.cjs': app(page('<h1>x</h1>')),
      };
      const result = await shoot(files, { command: `exec ${process.execPath} app.cjs` }, users);
      expect(result).toMatchObject({ outcome: 'passed', detail: '1 of 1 screenshots taken' });
      const ours = new Set(users.map(({ uid }) => uid));
      // Without those that have ended and that nobody has waited for.
      const owners = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => {
          try {
            const isOver = readFileSync(join('/proc', name, 'stat'), 'latin1').includes(') Z ');
            return isOver ? [] : [statSync(join('/proc', name)).uid];
          } catch {
            return [];
          }
        });
      expect(owners.filter((uid) => ours.has(uid))).toEqual([]);
    },
  );
});
