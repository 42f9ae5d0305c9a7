import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPngSize } from '../../shared/contract/evidence/png-size.ts';
import { hasScreenshotDigest } from '../../shared/contract/evidence/screenshot-digest.ts';
import { screenshotObjectKey } from '../../shared/contract/screenshot.ts';
import { browserHere, sayIfMissing } from '../page/support/browser.ts';
import { agent, PROJECT, Repository, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const browser = browserHere();
sayIfMissing(browser, 2);

/** Its work is blue where nobody needs a model to see it. */
const WORKFLOW = `name: seen
nodes: [{ id: start, type: start }, { id: do, type: task, config: { title: Do it } }, { id: end, type: end }]
edges: [{ id: a, source_node_id: start, target_node_id: do }, { id: b, source_node_id: do, target_node_id: end }]
review:
  vision:
    enabled: true
    verifier: heuristic
    expectations: [{ kind: dominant_colour, description: the shop is blue, expected_rgb: [0, 0, 255] }]
`;
const page = (colour: string): string =>
  `<!doctype html><title>Shop</title><body style="background: ${colour}"><h1>Welcome</h1>`;

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
      '.assay/workflows/seen.yaml': WORKFLOW,
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
    expect(gate).toMatchObject({ outcome: 'passed', kind: 'executed' });
    const [shot] = gate?.screenshots ?? [];
    if (!shot) throw new Error('the attempt names no picture');
    expect(shot).toMatchObject({ name: 'start', path: '/', width: 640, height: 480 });
    expect(screenshotObjectKey(id, 1, shot)).toContain(shot.sha256);
    const { status, body } = await stack.call<Part>(
      'GET',
      `/tasks/${id}/artifact?kind=screenshot&name=start&attempt=1`,
    );
    expect([status, body.encoding, body.bytes]).toEqual([200, 'base64', shot.bytes]);
    const png = Buffer.from(body.text, 'base64');
    expect(hasScreenshotDigest(png, shot)).toBe(true);
    expect(readPngSize(png)).toEqual({ width: 640, height: 480 });
    expect((await stack.call('GET', `/tasks/${id}/artifact?kind=screenshot&name=other`)).status).toBe(404);
  });

  it('are looked at where the workflow of a task wants it: what shows something else is done again, with what was seen', async () => {
    const paint = (colour: string) => agent(writes('site/index.html', page(colour)));
    const submit = (colour: string) =>
      stack.submit({
        title: 'Paint the shop blue',
        repository: repository.url,
        workflow: 'seen',
        adapter: paint(colour),
        budget: { max_attempts: 1 },
        completion_signals: [{ type: 'file_contains', path: 'site/index.html', contains: 'Welcome' }],
      });
    const red = await submit('rgb(220, 20, 20)');
    const failed = await stack.until(
      red.id,
      'an end',
      ({ status, hold }) => status === 'failed' || hold !== null,
    );
    expect(failed.verdict).toBe('fail');
    const [attempt] = await stack.attempts(red.id);
    expect(attempt?.verdict?.judgements?.find(({ kind }) => kind === 'vision')).toMatchObject({
      outcome: 'failed',
      verdict: 'fail',
      reasons: [
        expect.stringContaining('vision blocked: the shop is blue: start: the mean colour is (2'),
        expect.anything(),
      ],
    });
    const blue = await submit('rgb(0, 0, 255)');
    expect(await stack.ended(blue.id)).toMatchObject({ status: 'done', verdict: 'pass' });
    const [done] = await stack.attempts(blue.id);
    expect(done?.verdict?.judgements?.find(({ kind }) => kind === 'vision')).toMatchObject({
      outcome: 'passed',
      calls: 0,
    });
  });
});
