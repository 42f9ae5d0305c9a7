import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findConnection } from '../../cli/connection.ts';

const FILE = {
  url: 'http://127.0.0.1:4000',
  token: 'of-the-file',
  control_url: 'http://127.0.0.1:4001',
  records_dir: '/r',
  data_dir: '/d',
  pid: 1,
};

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-connection-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const up = (text: string = JSON.stringify(FILE)): void => {
  mkdirSync(join(cwd, '.assay-data'));
  writeFileSync(join(cwd, '.assay-data', 'connection.json'), text);
};

describe('the address', () => {
  test('is taken from the flag before the environment before the file', () => {
    up();
    const env = { ASSAY_URL: 'https://env.example', ASSAY_TOKEN: 'of-env' };
    expect(findConnection({ url: 'https://flag.example/', token: 'of-flag' }, { env, cwd })).toEqual({
      url: 'https://flag.example',
      token: 'of-flag',
      source: '--url',
      tokenSource: '--token',
    });
    expect(findConnection({}, { env, cwd })).toEqual({
      url: 'https://env.example',
      token: 'of-env',
      source: 'ASSAY_URL',
      tokenSource: 'ASSAY_TOKEN',
    });
    expect(findConnection({}, { env: {}, cwd })).toEqual({
      url: FILE.url,
      token: 'of-the-file',
      source: join('.assay-data', 'connection.json'),
    });
  });

  test('an empty variable counts as not set', () => {
    up();
    expect(findConnection({}, { env: { ASSAY_URL: '', ASSAY_TOKEN: ' ' }, cwd }).url).toBe(FILE.url);
  });

  test('without any is refused with the ways to give one', () => {
    expect(() => findConnection({}, { env: {}, cwd })).toThrow(
      expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('assay up') }),
    );
  });
});

describe('the token of the file', () => {
  test('is never sent to another address', () => {
    up();
    expect(findConnection({ url: 'https://elsewhere.example' }, { env: {}, cwd }).token).toBeUndefined();
  });

  test('is used when the same address is given by hand', () => {
    up();
    expect(findConnection({ url: `${FILE.url}/` }, { env: {}, cwd }).token).toBe('of-the-file');
  });
});

test.each(['{', '{"url": 1}', ''])('a damaged file (%s) is named', (text) => {
  up(text);
  expect(() => findConnection({}, { env: {}, cwd })).toThrow(/connection\.json is damaged/);
});
