import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxFactory } from '../../../../gates/core/sandbox-factory.ts';
import { writeRunProgram } from '../../../../gates/tests/exam/challenge-folders.ts';
import { type ChallengeRunner, startChallengeRunner } from '../../../../gates/tests/exam/challenge-runner.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';

let runner: ChallengeRunner | null = null;
afterEach(() => runner?.close());

/** Starts a runner whose commands are run by a function. */
async function start(run: Sandbox['run']): Promise<ChallengeRunner> {
  const sandboxes = { createSandbox: async () => ({ run }) } as unknown as SandboxFactory;
  runner = await startChallengeRunner(sandboxes, { base: 'b', patched: 'p' });
  return runner;
}

const post = (url: string, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify({ tree: 'base', command: 'true' }),
    ...(signal && { signal }),
  });

/** A command that runs until it is ended. */
function createEndlessCommand() {
  const started = Promise.withResolvers<void>();
  const run: Sandbox['run'] = (_program, _timeoutMs, _extra, abort) =>
    new Promise((resolve) => {
      started.resolve();
      const ended = { end: 'aborted', exitCode: null, output: '' };
      abort?.addEventListener('abort', () => resolve(ended as Awaited<ReturnType<Sandbox['run']>>));
    });
  return { run, started: started.promise };
}

describe('the runner of a challenger', () => {
  it('ends a run whose client is gone, so that the next one begins', async () => {
    const { run, started } = createEndlessCommand();
    let runs = 0;
    const { url } = await start((...args) =>
      runs++ === 0
        ? run(...args)
        : Promise.resolve({ end: 'exited', exitCode: 0, output: 'next' } as Awaited<
            ReturnType<Sandbox['run']>
          >),
    );
    const client = new AbortController();
    const first = post(url, client.signal).catch(() => null);
    await started;
    client.abort();
    await first;
    expect(await (await post(url)).json()).toEqual({ end: 'exited', exit_code: 0, output: 'next' });
  });

  it('ends what still runs when it is closed', async () => {
    const { run, started } = createEndlessCommand();
    const { url, close } = await start(run);
    const first = post(url).catch(() => null);
    await started;
    await close();
    expect(await first).toBeNull();
  });

  it('is called by the program that the challenger gets', async () => {
    const { url } = await start(async (program) => ({
      ...({ end: 'exited', exitCode: 0 } as Awaited<ReturnType<Sandbox['run']>>),
      output: JSON.stringify(program),
    }));
    const program = join(createTemporaryFolder(), 'run.mjs');
    await writeRunProgram(program, url);
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'base', '--', 'npm', 'test']);
    expect(stdout).toContain('{"line":"npm test"}');
    expect(stdout).toContain('[exited, exit code 0]');
  });
});
