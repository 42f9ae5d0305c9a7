import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngSize } from '../../gates/screenshots/png.ts';
import { isScreenshot } from '../../shared/evidence/is-screenshot.ts';
import { screenshotKey } from '../../shared/evidence/screenshot.ts';
import { browserHere, sayIfMissing } from '../page/support/browser.ts';
import { agent, PROJECT, Repository, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const browser = browserHere();
sayIfMissing(browser, 1);

interface Part {
  readonly encoding: string;
  readonly bytes: number;
  readonly text: string;
}

describe.skipIf(browser === null)('pictures of the application, on the whole stack', () => {
  let stack: Stack;
  let repository: Repository;
  beforeAll(async () => {
    repository = new Repository({
      ...PROJECT,
      'site/index.html': '<!doctype html><title>Shop</title><h1>Shop</h1>',
      'assay.yaml':
        'version: 1\nquality_gates:\n  screenshots:\n    enabled: true\n    folder: site\n    pages: [{ name: start, width: 640, height: 480 }]\n',
    });
    stack = await Stack.start();
  });
  afterAll(async () => {
    await stack?.stop();
    repository?.remove();
  });

  it('are taken in the gates box, named by the attempt, and handed out as they were taken', async () => {
    const { id } = await stack.submit({
      title: 'Greet',
      repository: repository.url,
      adapter: agent(writes('site/index.html', '<!doctype html><title>Shop</title><h1>Welcome</h1>')),
      budget: { max_attempts: 1 },
      completion_signals: [{ type: 'file_contains', path: 'site/index.html', contains: 'Welcome' }],
    });
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass' });
    const [attempt] = await stack.attempts(id);
    const gate = attempt?.verification?.gates.find(({ name }) => name === 'screenshots');
    expect(gate).toMatchObject({ outcome: 'passed', kind: 'executed_by_us' });
    const [shot] = gate?.screenshots ?? [];
    if (!shot) throw new Error('the attempt names no picture');
    expect(shot).toMatchObject({ name: 'start', path: '/', width: 640, height: 480 });
    expect(screenshotKey(id, 1, shot)).toContain(shot.sha256);
    const { status, body } = await stack.call<Part>(
      'GET',
      `/tasks/${id}/artifact?kind=screenshot&name=start&attempt=1`,
    );
    expect([status, body.encoding, body.bytes]).toEqual([200, 'base64', shot.bytes]);
    const png = Buffer.from(body.text, 'base64');
    expect(isScreenshot(png, shot)).toBe(true);
    expect(pngSize(png)).toEqual({ width: 640, height: 480 });
    expect((await stack.call('GET', `/tasks/${id}/artifact?kind=screenshot&name=other`)).status).toBe(404);
  });
});
