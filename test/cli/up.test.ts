import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionFile } from '../../cli/connection.ts';
import { assay } from './support.ts';

const MAIN = join(import.meta.dirname, '../../cli/main.ts');

interface Up {
  readonly child: ChildProcess;
  readonly line: string;
  readonly ended: Promise<number | null>;
}

/** `assay up --json` in `cwd`, when it is ready. */
async function up(cwd: string, ...more: string[]): Promise<Up> {
  const child = spawn(process.execPath, [MAIN, 'up', '--json', ...more], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then((code) => Promise.reject(new Error(`up ended with ${code}: ${log}`))),
  ])) as [string];
  return { child, line, ended };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
/** Nobody tells us of the end of a process that is not our child, so this looks until it is gone. */
const gone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await setTimeout(50);
};

const TASK = JSON.stringify({ title: 'Fix it', repository: 'https://example.com/a.git' });

describe('assay up', () => {
  let cwd: string;
  let running: Up;
  let connection: ConnectionFile;
  const file = () => join(cwd, '.assay-data', 'connection.json');
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'assay-up-'));
    running = await up(cwd, '--port', '0');
    connection = ConnectionFile.parse(JSON.parse(running.line));
  });
  afterAll(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    await gone(connection.pid);
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  });

  test('takes a free port when it is asked for port 0, and says which', () => {
    expect(Number(new URL(connection.url).port)).toBeGreaterThan(0);
  });

  test('leaves the connection where other commands find it, for the owner only', () => {
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(connection);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('serves the other commands of that folder, without flags', async () => {
    const status = await assay(['status', '--json'], { cwd });
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(status.stdout)).toMatchObject({
      total: 0,
      verification_nudge: { total_completions: 0 },
    });
    expect(await assay(['task', 'nope'], { cwd })).toMatchObject({ code: 5, stdout: '' });
  });

  test('refuses a wrong token and says where it came from', async () => {
    const ran = await assay(['tasks'], {
      cwd,
      env: { ASSAY_URL: connection.url, ASSAY_TOKEN: 'assay_op_wrong' },
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('The token is not known here');
    expect(ran.stderr).toContain('The token comes from ASSAY_TOKEN');
  });

  test('has a second token made for it, so that another person reviews work of the first', async () => {
    const made = await assay(['token', 'create', '--name', 'reviewer', '--role', 'review', '--json'], {
      cwd,
    });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
    const env = { ASSAY_URL: connection.url, ASSAY_TOKEN: token };
    expect(await assay(['status', '--json'], { cwd, env })).toMatchObject({ code: 0 });
    expect((await assay(['approve', 'nope'], { cwd, env })).stderr).toContain('nope');
    expect((await assay(['submit', '-'], { cwd, env, stdin: TASK })).stderr).toContain('may not do that');
    expect((await assay(['token', 'list'], { cwd })).stdout).toMatch(/reviewer +review/);
    expect(await assay(['token', 'revoke', id], { cwd })).toMatchObject({ code: 0 });
  });

  test('does not start twice on one folder', async () => {
    const ran = await assay(['up', '--json'], { cwd });
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    expect(ran.stderr).toContain(connection.url);
  });

  test('stops when it is told to, takes the connection with it, and leaves no process', async () => {
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(existsSync(file())).toBe(false);
    expect(isAlive(connection.pid)).toBe(false);
  });

  test('starts again on the same folder with the same token; killed, it takes the stack with it', async () => {
    running = await up(cwd);
    const again = ConnectionFile.parse(JSON.parse(running.line));
    expect(again.token).toBe(connection.token);
    connection = again;
    running.child.kill('SIGKILL');
    await running.ended;
    await gone(again.pid);
    const ran = await assay(['status'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`process ${again.pid}) does not run`);
  });
});

test('a connection file that a kill has left, with the number of a process that is another one now, holds nothing up', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-up-'));
  const folder = join(cwd, '.assay-data');
  mkdirSync(folder);
  writeFileSync(join(folder, 'lock'), '');
  const left = {
    url: 'http://127.0.0.1:1',
    token: 'x',
    control_url: 'x',
    dynamodb_url: 'x',
    table: 'x',
    access_key_id: 'x',
    secret_access_key: 'x',
    records_dir: 'x',
    data_dir: folder,
  };
  writeFileSync(join(folder, 'connection.json'), JSON.stringify({ ...left, pid: process.pid }));
  const running = await up(cwd);
  const connection = ConnectionFile.parse(JSON.parse(running.line));
  expect(connection.pid).not.toBe(process.pid);
  running.child.kill('SIGTERM');
  await running.ended;
  await gone(connection.pid);
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
});
