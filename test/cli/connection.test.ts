import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findApiConnection } from '../../cli/connection.ts';
import { INSTALL_ROOT } from '../../cli/installation.ts';
import { findRecordsFolder } from '../../cli/query/records.ts';
import { assay, fakeApi, problem } from './support.ts';

const FILE = {
  url: 'http://127.0.0.1:4000',
  token: 'of-the-file',
  control_url: 'http://127.0.0.1:4001',
  dynamodb_url: 'http://127.0.0.1:4002',
  table: 'tasks',
  access_key_id: 'LOCAL',
  secret_access_key: 'secret',
  records_dir: '/r',
  data_dir: '/d',
  pid: process.pid,
};

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-connection-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const up = (text: string = JSON.stringify(FILE)): void => {
  mkdirSync(join(cwd, '.assay-data'));
  writeFileSync(join(cwd, '.assay-data', 'connection.json'), text, { mode: 0o600 });
};
const git = (...args: string[]): unknown => execFileSync('git', args, { cwd, stdio: 'ignore' });

describe('the address', () => {
  test('is taken from the flag before the environment before the file', () => {
    up();
    const env = { ASSAY_URL: 'https://env.example', ASSAY_TOKEN: 'of-env' };
    expect(findApiConnection({ url: 'https://flag.example/', token: 'of-flag' }, { env, cwd })).toEqual({
      url: 'https://flag.example',
      token: 'of-flag',
      source: '--url',
      tokenSource: '--token',
    });
    expect(findApiConnection({}, { env, cwd })).toEqual({
      url: 'https://env.example',
      token: 'of-env',
      source: 'ASSAY_URL',
      tokenSource: 'ASSAY_TOKEN',
    });
    expect(findApiConnection({}, { env: {}, cwd })).toEqual({
      url: FILE.url,
      token: 'of-the-file',
      source: join('.assay-data', 'connection.json'),
    });
  });

  test('an empty variable counts as not set', () => {
    up();
    expect(findApiConnection({}, { env: { ASSAY_URL: '', ASSAY_TOKEN: ' ' }, cwd }).url).toBe(FILE.url);
  });

  test('without any is refused with the ways to give one', () => {
    expect(() => findApiConnection({}, { env: {}, cwd })).toThrow(
      expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('assay up') }),
    );
  });
});

describe('the token of the file', () => {
  test('is never sent to another address', () => {
    up();
    expect(findApiConnection({ url: 'https://elsewhere.example' }, { env: {}, cwd }).token).toBeUndefined();
  });

  test('is used when the same address is given by hand', () => {
    up();
    expect(findApiConnection({ url: `${FILE.url}/` }, { env: {}, cwd }).token).toBe('of-the-file');
  });
});

test.each(['{', '{"url": 1}', ''])('a damaged file (%s) is named', (text) => {
  up(text);
  expect(() => findApiConnection({}, { env: {}, cwd })).toThrow(/connection\.json is damaged/);
});

describe('a token from outside the file', () => {
  test.each([
    ['ASSAY_TOKEN', {}, { ASSAY_TOKEN: 'of-env' }],
    ['--token', { token: 'of-flag' }, {}],
  ])('is never sent to the address of the file (%s)', (name, options, env) => {
    up();
    expect(() => findApiConnection(options, { env, cwd })).toThrow(
      expect.objectContaining({ code: 'token_without_address', message: expect.stringContaining(name) }),
    );
  });
});

describe('a connection file that no running stack of this user wrote', () => {
  const refusal = (reason: string) =>
    expect.objectContaining({ code: 'untrusted_connection', message: expect.stringContaining(reason) });
  const expectRefused = (reason: string): void => {
    expect(() => findApiConnection({}, { env: {}, cwd })).toThrow(refusal(reason));
    expect(() => findApiConnection({ url: JSON.parse(read()).url }, { env: {}, cwd })).toThrow(
      refusal(reason),
    );
    expect(() => findRecordsFolder(undefined, cwd)).toThrow(refusal(reason));
  };
  const path = (): string => join(cwd, '.assay-data', 'connection.json');
  const read = (): string => readFileSync(path(), 'utf8');

  test('is refused if git tracks it', () => {
    git('init', '-q');
    up();
    expect(findApiConnection({}, { env: {}, cwd }).token).toBe('of-the-file');
    git('add', '-f', '.');
    expectRefused('git tracks it');
  });

  test('is refused if its process has ended', () => {
    up(JSON.stringify({ ...FILE, pid: spawnSync('true').pid }));
    expectRefused('does not run');
  });

  test.each([0, 1, -1])('is refused if its process cannot be a stack (%i)', (pid) => {
    up(JSON.stringify({ ...FILE, pid }));
    expectRefused('does not run');
  });

  test('is refused if other users may read it, as after a clone', () => {
    up();
    chmodSync(path(), 0o644);
    expectRefused('other users');
  });

  test('is refused if its address is on another machine', () => {
    up(JSON.stringify({ ...FILE, url: 'https://collector.example' }));
    expectRefused('not on this machine');
  });

  test.each(['control_url', 'dynamodb_url'])('is refused if its %s is on another machine', (field) => {
    up(JSON.stringify({ ...FILE, [field]: 'https://collector.example' }));
    expectRefused('not on this machine');
  });

  test('is refused if it, or its folder, is a link', () => {
    up();
    renameSync(path(), join(cwd, 'elsewhere.json'));
    symlinkSync(join(cwd, 'elsewhere.json'), path());
    expectRefused('link');
    rmSync(path());
    renameSync(join(cwd, 'elsewhere.json'), path());
    renameSync(join(cwd, '.assay-data'), join(cwd, 'elsewhere'));
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, '.assay-data'));
    expectRefused('link');
  });
});

describe('a command that hands keys or requests to a server', () => {
  test('takes an address of the folder only with --local', () => {
    up();
    expect(() => findApiConnection({}, { env: {}, cwd }, 'on_request')).toThrow(/No address/);
    expect(findApiConnection({ local: true }, { env: {}, cwd }, 'on_request').url).toBe(FILE.url);
  });

  test('uses the stack of the folder with --local, also if the environment names a deployment', () => {
    up();
    const env = { ASSAY_URL: 'https://env.example', ASSAY_TOKEN: 'of-env' };
    expect(findApiConnection({ local: true }, { env, cwd }, 'on_request')).toEqual({
      url: FILE.url,
      token: FILE.token,
      source: '.assay-data/connection.json',
    });
  });

  test.each([{ url: 'https://flag.example' }, { token: 'of-flag' }])('refuses --local with %o', (option) => {
    up();
    expect(() => findApiConnection({ local: true, ...option }, { env: {}, cwd }, 'on_request')).toThrow(
      expect.objectContaining({ code: 'bad_option' }),
    );
  });

  test('is `assay worker`', async () => {
    const api = await fakeApi(() => problem(404, 'no_task'));
    try {
      up(JSON.stringify({ ...FILE, url: api.url }));
      const argv = ['worker', '--role', 'backend', '--adapter', 'claude', '--until-empty'];
      expect(await assay(argv, { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('No address'),
      });
      expect(api.seen).toEqual([]);
      expect(await assay([...argv, '--local'], { cwd })).toMatchObject({ code: 0 });
      expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer of-the-file']);
    } finally {
      await api.close();
    }
  });

  test('is `assay mcp`', async () => {
    up();
    const client = new Client({ name: 'test', version: '1' });
    try {
      const args = [join(INSTALL_ROOT, 'cli/main.ts'), 'mcp'];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd }));
      const { content } = await client.callTool({ name: 'list_tasks', arguments: {} });
      expect(JSON.stringify(content)).toContain('No address of an Assay API.');
    } finally {
      await client.close();
    }
  });
});
