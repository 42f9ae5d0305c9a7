import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { buildCommandEnvironment } from '../../../workspace/process/command-environment.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import { parseProcessUsers } from '../../../workspace/process/process-user.ts';
import {
  type ProcessCommand,
  type RunProcessOptions,
  runProcess,
} from '../../../workspace/process/run-process.ts';
import { getContainerUsers } from '../../support/confinement.ts';

const cwd = mkdtempSync(join(tmpdir(), 'assay-run-'));
const env = buildCommandEnvironment({ home: cwd, tmp: cwd });
const execute = (program: ProcessCommand, options: Partial<RunProcessOptions> = {}) =>
  runProcess(program, { cwd, env, timeoutMs: 20_000, ...options });

const isAlive = (pid: number): boolean => {
  try {
    // A zombie that nobody has reaped yet still answers to signals.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
/** SIGKILL takes effect at once, but the kernel needs a moment to clear the process away. */
const gone = (file: string): Promise<void> =>
  vi.waitFor(() => expect(isAlive(Number(readFileSync(resolve(cwd, file), 'utf8')))).toBe(false), {
    timeout: 5_000,
    interval: 5,
  });

describe('the outcome of a command', () => {
  test.each([
    ['a command that ends well has passed', 'true', 'passed'],
    ['a command that says no has failed', 'echo wrong; exit 3', 'failed'],
    ['a command that is not found could not run', 'no-such-command-anywhere', 'could_not_run'],
    ['exit 127 from deep inside could not run too', 'bash -c "no-such-command-anywhere"', 'could_not_run'],
    ['a file that cannot be executed could not run', './', 'could_not_run'],
    ['exit 137 means that the machine gave out', 'exit 137', 'infra_failed'],
    ['SIGKILL from outside means that the machine gave out', 'kill -KILL $$', 'infra_failed'],
    [
      'a full disk is not the fault of the code',
      'echo "write: No space left on device"; exit 1',
      'infra_failed',
    ],
    ['a crash is a failure', 'kill -SEGV $$', 'failed'],
    ['words about a full disk in a good run mean nothing', 'echo ENOSPC', 'passed'],
  ])('%s', async (_, line, outcome) => {
    expect(classifyProcessResult(await execute({ line }))).toMatchObject({ outcome });
  });

  test('a program that does not exist could not run without any shell', async () => {
    const result = await execute({ argv: ['/no/such/program'] });
    expect(classifyProcessResult(result)).toEqual({
      outcome: 'could_not_run',
      detail: 'command not found or not executable (ENOENT)',
    });
  });

  test('the detail ends with what the command printed last', async () => {
    const result = await execute({ line: 'for i in $(seq 2000); do echo line $i; done; exit 1' });
    const { detail } = classifyProcessResult(result);
    expect(detail).toMatch(/^exit 1: /);
    expect(detail).toMatch(/line 2000$/);
    expect(detail.length).toBeLessThanOrEqual(2_000);
  });
});

describe('a command', () => {
  test('that goes on too long is killed with its grandchildren, also with those that ignore SIGTERM', async () => {
    const line = `(trap '' TERM; echo $BASHPID > stubborn; while true; do sleep 60; done) & sleep 60 & echo $! > child; wait`;
    const result = await execute({ line }, { timeoutMs: 400, graceMs: 100 });
    expect(result.end).toBe('timed_out');
    expect(classifyProcessResult(result).outcome).toBe('timed_out');
    await gone('stubborn');
    await gone('child');
  });

  test('that leaves a process behind is done when it ends, and what it left is killed', async () => {
    const result = await execute({ line: 'sleep 60 & echo $! > left; echo done' });
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, output: 'done\n' });
    expect(result.durationMs).toBeLessThan(20_000);
    await gone('left');
  });

  test.runIf(process.platform === 'linux')('cannot hide a process in a session of its own', async () => {
    const result = await execute({
      line: 'setsid bash -c "echo \\$\\$ > hidden; exec sleep 60" > /dev/null 2>&1 & while [ ! -s hidden ]; do sleep 0.01; done',
    });
    expect(result.exitCode).toBe(0);
    await gone('hidden');
  });

  test('that leaves a process without its environment behind ends it, when the folder is its own', async () => {
    const territory = realpathSync(mkdtempSync(join(tmpdir(), 'assay-run-')));
    const result = await execute(
      {
        line: 'setsid env -i bash -c "echo \\$\\$ > bare; exec sleep 60" > /dev/null 2>&1 & while [ ! -s bare ]; do sleep 0.01; done',
      },
      { cwd: territory, exclusiveFolder: territory },
    );
    expect(result.exitCode).toBe(0);
    await gone(join(territory, 'bare'));
  });

  test('that prints without end costs bounded memory, and the cut is stated', async () => {
    const result = await execute(
      { line: 'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last' },
      { maxOutputBytes: 10_000 },
    );
    expect(result.exitCode).toBe(0);
    expect(result.output.length).toBeLessThan(10_200);
    expect(result.truncatedBytes).toBeGreaterThan(29_000_000);
    expect(result.output).toMatch(/^first\n/);
    expect(result.output).toContain(`[... ${result.truncatedBytes} bytes of output cut ...]`);
    expect(result.output).toMatch(/last\n$/);
  });

  test('sees nothing of the supervisor but the allow-list', async () => {
    const source = {
      PATH: process.env['PATH'],
      AWS_SECRET_ACCESS_KEY: 'secret',
      ASSAY_ASSIGNMENT_URL: 'secret',
      GIT_CREDENTIAL: 'secret',
      NODE_OPTIONS: '--require secret',
    };
    const result = await execute(
      { line: 'env' },
      { env: buildCommandEnvironment({ home: cwd, tmp: cwd }, source) },
    );
    expect(result.output).not.toContain('secret');
    expect(result.output).toContain(`HOME=${cwd}\n`);
  });

  test('is given its arguments as they are, without a shell', async () => {
    const result = await execute({ argv: ['printf', '%s|', '$HOME; touch hacked', '*'] });
    expect(result.output).toBe('$HOME; touch hacked|*|');
    expect(existsSync(join(cwd, 'hacked'))).toBe(false);
  });

  test('is stopped when it is told to', async () => {
    const stopping = new AbortController();
    const running = execute({ line: 'sleep 60' }, { abort: stopping.signal });
    stopping.abort();
    expect(await running).toMatchObject({ end: 'aborted' });
  });

  test('cannot read standard input, so it never waits for it', async () => {
    expect(await execute({ line: 'cat; echo end' })).toMatchObject({ output: 'end\n' });
  });

  test.runIf(process.getuid?.() === 0)('runs as another user when the supervisor is root', async () => {
    // Numbers of this process's own: everything of that user is ended.
    const uid = getContainerUsers('gates')[0]?.uid ?? 0;
    const runAs = parseProcessUsers(`${uid}:${uid + 1}`)?.[0] ?? null;
    const result = await execute({ line: 'id -u; id -g; id -G' }, { cwd: '/', runAs });
    expect(result.output).toBe(`${uid}\n${uid + 1}\n${uid + 1}\n`);
  });
});

test.each(['10001', 'work:work', '1:2:3', ' 1:2', '5-4', '1-90000'])('"%s" names no users', (value) => {
  expect(() => parseProcessUsers(value)).toThrow('uid:gid or first-last');
});

test.each(['0:0', '0-3'])('"%s" would be root, and is refused', (value) => {
  expect(() => parseProcessUsers(value)).toThrow('must not be root');
});
