import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReviewedRequirement } from '../../../shared/contract/judgement/judgement.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { judgement, verdict } from '../../support/builders.ts';
import { browserHere, sayIfMissing, startBrowser } from '../support/browser.ts';
import { tellFigures } from '../support/figures.ts';
import { type ScriptedApi, scriptedApi, TOKEN } from '../support/scripted-api.ts';
import { checkedAttempt, heldTask, manyTasks, tell } from '../support/story.ts';

const REQUIREMENTS = [
  { requirement: 'Whole prices stay', state: 'met', file: 'price.ts', line: 3, reason: 'no rounding there' },
  {
    requirement: 'Prices of 0.5 are rounded up',
    state: 'not_met',
    file: 'price.ts',
    line: 7,
    reason: '2.5 becomes 2',
  },
] satisfies ReviewedRequirement[];

const chromium = browserHere();
sayIfMissing(chromium, 19);
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
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
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
    if (PICTURES)
      await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: name !== 'hostile' });
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
    await page.getByRole('heading', { name: 'Unknown' }).waitFor();
    await page.locator('summary', { hasText: 'Attempt 1' }).click();
    const text = await page.locator('main').innerText();
    expect(text).toContain('what security_scan would say (could not run)');
    expect(text).toContain('executed');
    expect(text).toContain('expected 3, got 2');
    expect(await violations()).toEqual([]);
    await picture('task');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations()).toEqual([]);
    await picture('task-dark');
    expect(said).toEqual([]);
  });

  it('begins a task with the verdict, its reason, the requirements and what failed', async () => {
    const failed = checkedAttempt(1);
    const verification = failed.verification && {
      ...failed.verification,
      failed_checks: [
        { check: 'price.test.ts > rounds half up', message: 'expected 3, got 2\n  at price.test.ts:7' },
      ],
    };
    const reviewed = verdict({
      verdict: 'fail',
      reasons: [{ code: 'gate_failed', subject: 'tests', message: 'tests: 1 of 9 failed' }],
      judgements: [judgement({ requirements: REQUIREMENTS })],
    });
    const attempts = [{ ...failed, verification, verdict: reviewed }];
    tell(api, manyTasks(3), 1, new Map([['T1', heldTask({ status: 'failed', hold: null, attempts })]]));
    await signIn('#/task/T1');
    await page.getByText('Requirements: 1 of 2 met').waitFor();
    const [result = '', failing = '', changes = ''] = await Promise.all(
      ['Attempt 1: failed', '1 failing check', 'Changes of attempt 1'].map((text) =>
        page
          .getByText(text)
          .first()
          .evaluate((element) => element.getBoundingClientRect().top.toString()),
      ),
    );
    expect(Number(result)).toBeLessThan(Number(failing));
    expect(Number(failing)).toBeLessThan(Number(changes));
    expect(Number(failing)).toBeLessThan(600);
    expect(await page.locator('.result').innerText()).toContain(
      'price.test.ts > rounds half up: expected 3, got 2',
    );
    const rows = await page.locator('table', { hasText: 'Requirements' }).locator('tbody tr').allInnerTexts();
    expect(rows[0]).toMatch(/not met\s+Prices of 0.5 are rounded up/);
    expect(await violations()).toEqual([]);
    await picture('task-failed');
  });

  it('fits a task and the board into the width of a telephone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await signIn();
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations()).toEqual([]);
    await picture('board-narrow');
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations()).toEqual([]);
    await picture('task-narrow');
  });

  it('keeps the filter of the board in the address', async () => {
    await signIn();
    await page.getByRole('button', { name: /^running/ }).click();
    await page.getByLabel('Filter').fill('importer 1');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/board?group=running&words=importer+1');
    // A change of the fragment alone loads nothing.
    await page.goto('about:blank');
    await signIn('#/board?group=needs-review');
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).waitFor();
    expect(await page.locator('.rows tbody tr').count()).toBe(1);
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

  it('says that nobody answers, keeps what it has, and goes on by itself', async () => {
    await signIn();
    const row = page.getByRole('link', { name: 'Round prices half up', exact: true });
    await row.waitFor();
    api.away = true;
    await page.getByText('Nothing answers at this address').waitFor();
    expect(await row.isVisible()).toBe(true);
    await picture('away');
    api.away = false;
    await page.getByText('Nothing answers at this address').waitFor({ state: 'hidden' });
  });

  it('asks for another token when this one is over, and comes back to where one was', async () => {
    await signIn('#/task/T1');
    api.over = true;
    await page.getByText('Your token is over').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Round prices');
    api.over = false;
    await page.getByLabel('Operator token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Round prices half up' }).waitFor();
  });

  it('forgets the token with the page, and keeps it nowhere', async () => {
    await signIn();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept + page.url()).not.toContain(TOKEN);
    await page.reload();
    await page.getByLabel('Operator token').waitFor();
  });

  it('approves by keys alone, with a reason, for the version that was seen', async () => {
    api.answers.set('POST /tasks/T1/review', () => ({ body: {} }));
    await signIn();
    await page.getByRole('link', { name: 'Round prices half up', exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('a');
    await page.getByLabel('Reason').waitFor();
    expect(await violations()).toEqual([]);
    await picture('approve');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Give a reason').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('looked at it');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Approve: done.').waitFor();
    expect(api.sent).toEqual([
      {
        path: '/tasks/T1/review',
        ifMatch: '"7"',
        body: {
          decision: 'approve',
          reason: 'looked at it',
          base_commit: 'a'.repeat(40),
          tree: 'b'.repeat(40),
        },
      },
    ]);
  });

  it('shows a refusal in words where somebody else was faster', async () => {
    const refusal = { code: 'version_mismatch', detail: 'the task has moved on', title: 'x' };
    api.answers.set('POST /tasks/T1/cancel', () => ({ status: 412, body: refusal }));
    await signIn('#/task/T1');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Reason').fill('not needed');
    await page.locator('dialog button.bad').click();
    await page.getByText('the task has moved on Nothing has changed.').waitFor();
  });

  it('tells when too much is unverified: in passing, in the header and in the title', async () => {
    await signIn();
    tell(api, manyTasks(30), 6);
    await page.locator('.toast').getByText('Verification alert: 6/10').waitFor();
    await page.getByRole('button', { name: 'Alert: 6/10' }).waitFor();
    expect(await page.title()).toBe('(!) Assay');
    expect(await violations()).toEqual([]);
    await picture('alert');
  });

  it('scrolls through a thousand tasks with few of them in the document', async () => {
    tell(api, manyTasks(1_000));
    await signIn();
    await page
      .getByRole('button', { name: 'all 742' })
      .or(page.getByRole('button', { name: /^all \d{3}/ }))
      .waitFor();
    const rows = page.locator('.rows tbody tr');
    await rows.nth(10).waitFor();
    expect(await rows.count()).toBeLessThan(80);
    const slowest = await page.evaluate<number[]>(`(async () => {
      const frame = document.querySelector('.rows');
      let [worst, before] = [0, performance.now()];
      for (let step = 0; step < 60; step++) {
        frame.scrollTop += 400;
        await new Promise(requestAnimationFrame);
        worst = Math.max(worst, performance.now() - before);
        before = performance.now();
      }
      return [frame.scrollTop, worst];
    })()`);
    console.log(`1,000 tasks: the slowest of 60 frames took ${Math.round(slowest[1] ?? 0)} ms`);
    expect(slowest[0]).toBeGreaterThan(15_000);
    expect(await rows.count()).toBeLessThan(80);
    await page.keyboard.press('/');
    await page.keyboard.type('importer 701');
    await expect.poll(() => rows.count()).toBe(1);
  });

  it('shows the work with what was found in it, where it was found', async () => {
    const patch =
      'diff --git a/price.ts b/price.ts\n--- a/price.ts\n+++ b/price.ts\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = Math.floor(x);\n+const b = Math.round(x);\n';
    const finding = { file: 'price.ts', line: 2, rule: 'rounding', message: 'rounds half to even elsewhere' };
    const texts: Record<string, string> = {
      patch,
      transcript: 'I will look at the tests first.',
      evidence: JSON.stringify({ gates: [{ name: 'lint', findings: [finding] }] }),
    };
    api.answers.set('GET /tasks/T1/artifact', ({ query }) => {
      const text = texts[query.get('kind') ?? ''] ?? '';
      return {
        body: {
          task_id: 'T1',
          attempt: 2,
          kind: query.get('kind'),
          bytes: text.length,
          offset: 0,
          next_offset: null,
          text,
        },
      };
    });
    await signIn('#/task/T1');
    await page.getByText('rounds half to even elsewhere').waitFor();
    await page.locator('summary', { hasText: 'Transcript' }).first().click();
    await page.getByText('look at the tests first').waitFor();
    expect(await violations()).toEqual([]);
    await picture('diff');
    await page.getByRole('button', { name: 'Show side by side' }).click();
    const row = page.locator('table.split tr', { hasText: 'Math.floor' });
    expect(await row.innerText()).toMatch(/2\s+const b = Math.floor\(x\);\s+2\s+const b = Math.round\(x\);/);
    expect(await page.getByText('rounds half to even elsewhere').isVisible()).toBe(true);
    expect(await violations()).toEqual([]);
    await picture('diff-split');
  });

  it('shows pictures of the application, which come with the token, each with words beside it', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const shot = {
      name: 'start',
      path: '/cart',
      width: 1,
      height: 1,
      sha256: sha256(png),
      bytes: png.length,
    };
    const shown = checkedAttempt(1);
    const [first, ...others] = shown.verification?.gates ?? [];
    if (!shown.verification || !first) throw new Error('the attempt has no gates');
    const verification = { ...shown.verification, gates: [{ ...first, screenshots: [shot] }, ...others] };
    tell(api, manyTasks(3), 1, new Map([['T1', heldTask({ attempts: [{ ...shown, verification }] })]]));
    api.answers.set('GET /tasks/T1/artifact', ({ query }) => ({
      body: {
        task_id: 'T1',
        attempt: 1,
        kind: query.get('kind'),
        bytes: png.length,
        offset: 0,
        next_offset: null,
        encoding: 'base64',
        text: query.get('name') === 'start' ? png.toString('base64') : '',
      },
    }));
    await signIn('#/task/T1');
    await page.locator('summary', { hasText: '1 screenshot' }).click();
    const image = page.getByAltText('start: the page /cart in 1 by 1 pixels');
    await image.waitFor();
    const width = await image.evaluate(async (each) => {
      const shown = each as unknown as { decode(): Promise<void>; readonly naturalWidth: number };
      await shown.decode();
      return shown.naturalWidth;
    });
    expect(width).toBe(1);
    expect(await image.getAttribute('src')).toMatch(/^blob:/);
    expect(await violations()).toEqual([]);
    expect(said).toEqual([]);
  });

  it('plots the figures, each with its numbers and its SQL beside it', async () => {
    tellFigures(api);
    await signIn('#/quality');
    await page.locator('.plot canvas').nth(4).waitFor();
    await page.getByText('Numbers: Completed without verification').click();
    const numbers = page.locator('.figure').first().locator('table').last();
    expect(await numbers.locator('tbody tr').count()).toBe(14);
    expect(await numbers.innerText()).toMatch(/2026-11-20\s+\d+%\s+30%/);
    await page.getByText('SQL: Completed without verification').click();
    await page.getByText('assay query unverified-ratio-by-day').waitFor();
    expect(await violations()).toEqual([]);
    await picture('figures');
    const ofLight = await page.locator('.plot canvas').first().elementHandle();
    await page.emulateMedia({ colorScheme: 'dark' });
    // A canvas keeps its colours: another one is drawn.
    await expect.poll(() => ofLight?.evaluate((canvas) => canvas.isConnected)).toBe(false);
    await page.locator('.plot canvas').nth(4).waitFor();
    await picture('figures-dark');
    expect(said).toEqual([]);
  });

  it('shows the health of files, why one is to be looked at, and what happened to it', async () => {
    tellFigures(api);
    await signIn('#/quality');
    const files = page.locator('section', { has: page.getByRole('heading', { name: 'Files', exact: true }) });
    expect(await files.innerText()).toContain('3 changed by agents, 2 to review');
    expect(await files.innerText()).toMatch(
      /src\/prices\/round.ts\s+\d+\s+F\s+2 of 3\s+1\s+50\s+75\s+80\s+low/,
    );
    expect(await files.innerText()).toContain('an⟨U+202E⟩gnp.exe.ts');
    await files.getByRole('button', { name: 'src/prices/round.ts' }).click();
    await files.getByText('What happened to src/prices/round.ts').waitFor();
    expect(await files.locator('table').last().innerText()).toMatch(/reverted\s+\d+ → \d+\s+T3/);
    expect(await violations()).toEqual([]);
    await files.getByText('SQL: Files').click();
    await files.getByText('assay query files-that-fail').waitFor();
    expect(said).toEqual([]);
  });

  it('shows hostile text of four hundred attempts as text', async () => {
    const nasty = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u001b[31mred\u001b[0m \u202egnp.exe </textarea> ${'A'.repeat(1_000_000)}`;
    const hostile = heldTask({
      title: '<b>bold</b> \u202eevil',
      attempts: Array.from({ length: 400 }, (_, index) =>
        checkedAttempt(index + 1, {
          model: '<i>model</i>',
          report: {
            status: 'completed',
            summary: index < 3 ? nasty : nasty.slice(0, 2_000),
            failure_code: null,
            output_tail: '',
            retry_after_s: null,
            at: '2026-11-20T10:01:00.000Z',
          },
        }),
      ),
    });
    tell(api, manyTasks(3), 1, new Map([['T1', { ...hostile, description: nasty }]]));
    api.answers.set('GET /tasks/T1/artifact', () => ({
      body: {
        task_id: 'T1',
        attempt: 400,
        kind: 'transcript',
        bytes: nasty.length,
        offset: 0,
        next_offset: null,
        text: nasty,
      },
    }));
    await signIn('#/task/T1');
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await page.locator('summary', { hasText: 'Transcript' }).first().click();
    const shown = await page.locator('main').innerText();
    expect(shown).toContain('<img src=x onerror="window.hit=1">');
    expect(shown).toContain('⟨U+202E⟩gnp.exe');
    expect(shown).not.toContain('\u001b');
    expect(
      await page.evaluate(
        "[document.querySelectorAll('main img, main script, main b i').length, window.hit ?? 0]",
      ),
    ).toEqual([0, 0]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
    await picture('hostile');
  });
});
