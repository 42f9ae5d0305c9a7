import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browserHere, sayIfMissing, startBrowser } from '../support/browser.ts';
import { type ScriptedApi, scriptedApi, TOKEN } from '../support/scripted-api.ts';
import { manyTasks, tell } from '../support/story.ts';

const chromium = browserHere();
sayIfMissing(chromium, 4);
/** Where pictures go for somebody to look at; none are made otherwise. */
const PICTURES = process.env['ASSAY_PICTURES'];

describe.skipIf(chromium === null)('the page in a browser', () => {
  let api: ScriptedApi;
  let browser: Browser;
  let page: Page;
  const said: string[] = [];
  beforeAll(async () => {
    [api, browser] = await Promise.all([scriptedApi(), startBrowser(chromium ?? '')]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });
  beforeEach(async () => {
    tell(api, manyTasks(30));
    Object.assign(api, { away: false, over: false });
    for (const list of [api.log, api.sent, said]) list.length = 0;
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
  });

  const signIn = async (place = ''): Promise<void> => {
    await page.goto(api.url + place);
    await page.getByLabel('Operator token').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const picture = async (name: string): Promise<void> => {
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  };
  const violations = async (): Promise<string[]> => {
    // By the debugger, as no test could by the page: its policy lets no script in.
    const session = await page.context().newCDPSession(page);
    const evaluate = (expression: string) =>
      session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    await evaluate(axe.source);
    const { result } = await evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
        .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`,
    );
    return result.value as string[];
  };

  it('asks for a token, and refuses one that is not known, in words', async () => {
    await page.goto(api.url);
    await page.getByLabel('Operator token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The token is not known here').waitFor();
    expect(await violations()).toEqual([]);
    await picture('sign-in');
  });

  it('shows the board, without anything that axe objects to, in light and dark', async () => {
    await signIn();
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).waitFor();
    expect(await violations()).toEqual([]);
    await picture('board');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations()).toEqual([]);
    await picture('board-dark');
    expect(said).toEqual([]);
  });

  it('shows a task with its chain, its verdict and what is unknown', async () => {
    await signIn('#/task/T1');
    await page.getByRole('heading', { name: 'What is still unknown' }).waitFor();
    await page.locator('summary', { hasText: 'Attempt 1' }).click();
    const text = await page.locator('main').innerText();
    expect(text).toContain('what security_scan would say (inert)');
    expect(text).toContain('run by us');
    expect(text).toContain('expected 3, got 2');
    expect(await violations()).toEqual([]);
    await picture('task');
    expect(said).toEqual([]);
  });

  it('lists nothing again while nothing has changed', async () => {
    await signIn();
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).waitFor();
    await expect
      .poll(() => api.log.filter((line) => line === 'GET /status 304').length, { timeout: 20_000 })
      .toBe(2);
    // Once, and once more shortly after.
    expect(api.log.filter((line) => line.startsWith('GET /tasks')).length).toBeLessThanOrEqual(6);
  });
});
