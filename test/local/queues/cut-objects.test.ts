import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ObjectFiles, type StoredObject } from '../../../local/queues/s3/object-files.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const BUCKET = 'files';
const object = (key: string, text: string, type: string): StoredObject => ({
  key,
  body: Buffer.from(text),
  etag: `"${createHash('md5').update(text).digest('hex')}"`,
  contentLength: Buffer.byteLength(text),
  contentType: type,
  metadata: { of: '€' },
  lastModified: new Date(0),
});
const pathOf = (key: string): string => join(directory.path, BUCKET, key);
const headersOf = (key: string): string => join(directory.path, '.details', BUCKET, `${key}.json`);

/** What a start finds: key, type, body; and what it says. */
function found() {
  const said: string[] = [];
  const files = new ObjectFiles(directory.path, (message) => said.push(message));
  const there: string[] = [];
  files.load(
    {
      hasBucket: () => true,
      createBucket: () => {},
      restoreObject: (bucket, { key, contentType, contentLength }) => {
        const body = files.readBody(bucket, key);
        expect(body.length).toBe(contentLength);
        there.push(`${key} ${contentType} ${body}`);
      },
    },
    BUCKET,
  );
  return { said, there: there.toSorted((a, b) => a.localeCompare(b)) };
}

test.each(['no other before it', 'another of its length before it', 'a longer one before it'])(
  'an object with %s, cut at any byte of itself or its headers, is missing and named, and no other is',
  (before) => {
    const files = new ObjectFiles(directory.path);
    files.insertBucket(BUCKET);
    if (!before.startsWith('no'))
      files.upsertObject(
        BUCKET,
        object('a/torn', before.startsWith('another') ? '12345678' : '1234567890', 'text/x'),
      );
    files.upsertObject(BUCKET, object('a/torn', 'all of €', 'text/a'));
    files.upsertObject(BUCKET, object('whole', 'whole', 'text/b'));
    expect(found()).toEqual({ said: [], there: ['a/torn text/a all of €', 'whole text/b whole'] });
    for (const path of [pathOf('a/torn'), headersOf('a/torn')]) {
      const bytes = readFileSync(path);
      for (let cut = 0; cut < bytes.length; cut += 1) {
        truncateSync(path, cut);
        expect([path, cut, found()]).toEqual([
          path,
          cut,
          { said: [expect.stringContaining(`${path} is damaged`)], there: ['whole text/b whole'] },
        ]);
      }
      writeFileSync(path, bytes);
    }
    expect(found().said).toEqual([]);
  },
);

test('a kill between the headers and the object leaves the one before, whatever their lengths', () => {
  const files = new ObjectFiles(directory.path);
  files.insertBucket(BUCKET);
  files.upsertObject(BUCKET, object('a', 'before', 'text/a'));
  for (const next of ['behind', 'after it']) {
    const body = readFileSync(pathOf('a'));
    files.upsertObject(BUCKET, object('a', next, 'text/a'));
    writeFileSync(pathOf('a'), body);
    utimesSync(pathOf('a'), 1, 1);
    expect(found()).toEqual({ said: [], there: ['a text/a before'] });
    files.deleteObject(BUCKET, 'a');
    files.upsertObject(BUCKET, object('a', 'before', 'text/a'));
  }
});
