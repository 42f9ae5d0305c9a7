import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/resources.ts';

const run = (...args: string[]) =>
  spawn(process.execPath, ['local/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

test.each([
  [[], '--data is missing'],
  [
    ['--data', 'x', '--port', 'eighty'],
    '--port must be a number from 1 to 65535, or 0 for a free one, not eighty',
  ],
  [['--data', 'x', '--colour'], '--colour'],
])('with the arguments %j it ends with 2 and says why', async (args, why) => {
  const child = run(...args);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(2);
  expect(said).toContain(why);
  expect(said).toContain('usage: node local/main.ts');
});

test('it says in one line where it is, and a signal ends it with 0', async () => {
  const directory = temporaryDirectory();
  const dataDir = join(directory.path, 'data');
  const child = run('--data', dataDir, '--json');
  const output = text(child.stdout);
  const complaints = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
  const lines = (await output).split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(1);
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    url,
    control_url: url,
    dynamodb_url: url,
    table: expect.any(String),
    access_key_id: expect.stringMatching(/^LOCAL/),
    secret_access_key: expect.any(String),
    token: expect.stringMatching(/^assay_op_/),
    records_dir: expect.stringContaining(dataDir),
    data_dir: dataDir,
    pid: child.pid,
  });
  expect(await complaints).toBe('');
  directory.remove();
});
