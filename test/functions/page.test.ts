import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, it, test } from 'vitest';
import { pageHandler } from '../page/support/scripted-api.ts';

const { handler, folder } = await pageHandler();
const ask = (file?: string, headers: Record<string, string> = {}) =>
  handler({ headers, ...(file && { pathParameters: { file } }) } as unknown as APIGatewayProxyEventV2);
const html = String((await ask()).body);
const namedIn = [...html.matchAll(/(?:src|href)="\/page\/([^"]+)"/g)].map(([, name = '']) => name);

it('serves the page, whose policy lets in nothing but its own files', async () => {
  const { statusCode, headers } = await ask();
  expect([statusCode, headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = String(headers?.['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  // Of our own making only: no other origin's, and none written into the page.
  expect(policy).toContain("img-src 'self' blob:;");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
});

it('names files that it serves, which a browser may keep for good', async () => {
  expect(namedIn).toHaveLength(3);
  for (const name of namedIn) {
    const { statusCode, headers } = await ask(name);
    expect([name, statusCode, headers?.['cache-control']]).toEqual([
      name,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

it('answers with less than 200 KB of gzip in all', () => {
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
});

it('sends gzip to whoever takes it, and the same text to others', async () => {
  const [script = ''] = namedIn.filter((name) => name.endsWith('.js'));
  const [plain, zipped] = [await ask(script), await ask(script, { 'accept-encoding': 'br, gzip' })];
  expect(zipped.headers?.['content-encoding']).toBe('gzip');
  expect(gunzipSync(Buffer.from(zipped.body ?? '', 'base64')).toString('utf8')).toBe(plain.body);
});

it('says that nothing has changed to whoever has it', async () => {
  const { headers } = await ask();
  const etag = String(headers?.['etag']);
  expect(await ask(undefined, { 'if-none-match': etag })).toMatchObject({ statusCode: 304 });
  expect(await ask(undefined, { 'if-none-match': '"another"' })).toMatchObject({ statusCode: 200 });
});

test.each(['package.json', '../index.js', 'index.js', '..%2Findex.js', '__proto__', 'constructor', ''])(
  'serves nothing else: %j',
  async (file) => {
    const { statusCode, body } = await ask(file || 'none');
    expect([statusCode, body]).toEqual([404, 'There is no such file.\n']);
  },
);
