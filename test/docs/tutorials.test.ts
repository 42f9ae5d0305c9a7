import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Block {
  readonly language: string;
  /** `exit N`, `background` or `skip`. */
  readonly mode: string;
  readonly text: string;
}

/** Returns the shell blocks and the outputs of a page, in their order. */
const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(sh|text)(?: ([^\n]*))?\n(.*?)^```/gms)].map(
    ([, language = '', mode = '', text = '']) => ({ language, mode, text }),
  );

/** Starts a program that keeps running, and resolves when it has printed an address. */
async function startInBackground(script: string, cwd: string): Promise<void> {
  const child = spawn('bash', ['-c', script], { cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the program in the background ended')));
    child.stdout.on('data', (chunk) => /https?:\/\//.test(String(chunk)) && resolve());
  });
}

/** Runs a script, and returns its exit code and all that it printed. */
async function run(script: string, cwd: string): Promise<{ status: number | null; output: string }> {
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

const collapse = (text: string): string => text.replaceAll(/ +/g, ' ').trim();

/** Runs every shell block of a page in one folder, one after the other, and looks for the output that it shows. */
async function walk(page: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'assay-tutorial-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  let cwd = home;
  let functions = '';
  let output = '';
  for (const { language, mode, text } of blocksOf(page)) {
    if (mode === 'skip') continue;
    if (language === 'text') {
      const lines = output.split('\n').map(collapse);
      for (const shown of text.trim().split('\n').map(collapse))
        expect(
          lines.some((line) => line.startsWith(shown)),
          `${shown}\nin\n${output}`,
        ).toBe(true);
      continue;
    }
    const script = text.replaceAll('~/assay', ROOT);
    if (/^assay\(\)/.test(script)) functions = script.split('\n')[0] ?? '';
    if (mode === 'background') {
      await startInBackground(script, cwd);
      continue;
    }
    const ran = await run(
      `${functions}\n${script}\nstatus=$?\necho "$PWD" > '${home}/.cwd'\nexit $status`,
      cwd,
    );
    output = ran.output;
    expect(ran.status, `${text}\n${output}`).toBe(Number(/^exit (\d+)$/.exec(mode)?.[1] ?? 0));
    cwd = readFileSync(join(home, '.cwd'), 'utf8').trim();
  }
}

test('every command of the first ten minutes does what the page says', { timeout: 600_000 }, () =>
  walk('docs/tutorials/first-ten-minutes.md'),
);
