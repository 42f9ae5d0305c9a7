import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fakeCli } from '../containers/fake-cli.ts';
import { PROJECT, Repository, RIGHT } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const folder = mkdtempSync(join(tmpdir(), 'assay-worker-'));
const running: ChildProcess[] = [];
beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
  writeFileSync(join(folder, 'sum.js'), RIGHT);
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function work(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Worker {
  const child = spawn(process.execPath, [resolve('cli/main.ts'), 'worker', ...argv], {
    cwd: folder,
    env: { ...process.env, ASSAY_URL: stack.ready.url, ASSAY_TOKEN: stack.ready.token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

async function external(role: string): Promise<string> {
  const { id } = await stack.submit({
    title: `By a worker of ${role}`,
    repository: repository.url,
    runner: 'external',
    role,
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
  });
  await stack.claimable(id);
  return id;
}

const appears = (file: string): Promise<void> =>
  new Promise((seen) => {
    const watcher = watch(folder, () => {
      if (existsSync(file)) {
        watcher.close();
        seen();
      }
    });
    if (existsSync(file)) {
      watcher.close();
      seen();
    }
  });

describe('a worker', () => {
  it('does a task with a command of its own, and what it hands in is verified like any other work', async () => {
    const id = await external('backend');
    const script = `cp ${join(folder, 'sum.js')} src/sum.js; cat "$ASSAY_PROMPT_FILE" >&2; echo "secret is $MY_SECRET, mine is $MINE"`;
    const { ended } = work(
      [
        '--role',
        'backend',
        '--adapter',
        'command',
        '--until-empty',
        '--json',
        '--pass',
        'MINE',
        '--',
        'bash',
        '-c',
        script,
      ],
      { MY_SECRET: 'no', MINE: 'yes' },
    );
    const { code, stdout, stderr } = await ended;
    expect(stderr).toContain(`${id} By a worker of backend`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ task_id: id, attempt: 1, outcome: 'reported' });
    const task = await stack.ended(id);
    expect(task).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
    const [attempt] = await stack.attempts(id);
    expect(attempt?.report?.summary).toMatch(/secret is , mine is yes$/);
    expect(attempt?.route?.reason).toContain('an outside agent chose');
  });

  it('runs an agent CLI as the platform does, with the key of its own environment', async () => {
    const id = await external('frontend');
    const PATH = fakeCli(
      folder,
      'claude',
      `cp ${join(folder, 'sum.js')} src/sum.js; printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"key %s model %s","structured_output":{"status":"done","summary":"key %s"},"modelUsage":{"claude-sonnet-5-5":{"inputTokens":10,"outputTokens":5}}}\\n' "$ANTHROPIC_API_KEY" "$4" "$ANTHROPIC_API_KEY"`,
    );
    const { ended } = work(
      ['--role', 'frontend', '--adapter', 'claude', '--model', 'sonnet', '--max-tasks', '1'],
      { PATH, ANTHROPIC_API_KEY: 'of-the-laptop' },
    );
    const { code, stdout, stderr } = await ended;
    expect(stderr).not.toContain('released');
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${id} reported; it is `),
    });
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass' });
    const [attempt] = await stack.attempts(id);
    expect(attempt).toMatchObject({
      usage: { input_tokens: 10, output_tokens: 5 },
      lease_holder: expect.any(String),
    });
    expect(attempt?.report?.summary).toBe('key of-the-laptop');
  });

  it('that is interrupted ends its agent and hands the task back: the next worker has it at once, and no retry is used', async () => {
    const id = await external('qa');
    const started = join(folder, 'started');
    const { child, ended } = work([
      ...['--role', 'qa', '--adapter', 'command', '--', 'bash', '-c'],
      `echo $$ > ${started}.tmp; mv ${started}.tmp ${started}; exec sleep 600`,
    ]);
    await appears(started);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain(`${id} released: the worker was stopped`);
    const task = (await stack.call<{ status: string; retries: number }>('GET', `/tasks/${id}`)).body;
    expect(task).toMatchObject({ status: 'open', retries: 0 });
    const next = work([
      '--role',
      'qa',
      '--adapter',
      'command',
      '--until-empty',
      '--',
      'bash',
      '-c',
      `cp ${join(folder, 'sum.js')} src/sum.js`,
    ]);
    expect((await next.ended).code).toBe(0);
    expect(await stack.ended(id)).toMatchObject({ status: 'done', attempt_count: 2 });
  });

  it('that finds nothing says so by its exit, and refuses what it cannot do before it claims', async () => {
    const idle = await work(['--role', 'docs', '--adapter', 'claude', '--until-empty']).ended;
    expect(idle).toMatchObject({ code: 0, stdout: '' });
    for (const [argv, said] of [
      [['--role', 'docs', '--adapter', 'command'], '--adapter command needs a command'],
      [['--role', 'docs', '--adapter', 'cobol'], "argument 'cobol' is invalid"],
      [['--role', 'Über', '--adapter', 'claude'], 'is not the name of a role'],
      [['--role', 'docs', '--adapter', 'codex', '--max-turns', '3'], 'does not count turns'],
      [['--role', 'docs', '--adapter', 'claude', '--pass', 'A=B'], 'not the name of a variable'],
      [['--role', 'docs', '--adapter', 'claude', '--', 'rm'], 'takes no command'],
    ] as const) {
      const refused = await work(argv).ended;
      expect(refused.code, said).toBe(2);
      expect(refused.stderr).toContain(said);
    }
  });
});
