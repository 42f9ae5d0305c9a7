import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../../support/test-tools.ts';

/** Debian's names of it, and Google's; `.ci/run` installs the first. */
const PROGRAMS = ['chromium', 'chromium-headless-shell', 'google-chrome', 'chromium-browser'];

/** Path of a Chromium on this machine; null: there is none. */
export const browserHere = (): string | null =>
  PROGRAMS.map(findProgram).find((path) => path !== null) ?? null;

/** Says how many tests are skipped for want of a browser, because what is skipped is not tested. */
export function sayIfMissing(browser: string | null, tests: number): void {
  if (browser === null) console.warn(`SKIPPED ${tests} tests of the page for want of chromium`);
}

export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    // Tests run as root, where it has no sandbox of its own; it loads nothing but what they serve.
    args: ['--no-sandbox', '--disable-gpu', '--no-zygote'],
  });
