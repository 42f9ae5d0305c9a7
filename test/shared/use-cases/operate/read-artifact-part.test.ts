import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { ArtifactQuery } from '../../../../shared/api/artifact-schemas.ts';
import { sha256 } from '../../../../shared/lib/sha256.ts';
import {
  countCompleteUtf8Bytes,
  MAX_ARTIFACT_PART_BYTES,
  readArtifactPart,
} from '../../../../shared/use-cases/operate/read-artifact-part.ts';
import { attempt, fakeSha1, report, task, verification } from '../../../support/builders.ts';

const left = {
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  patch_key: 'p',
  patch_sha256: 'c'.repeat(64),
  patch_bytes: 1,
  transcript_key: null,
};
const done = task({ attempts: [attempt({ artifact: left }), attempt({ number: 2 })] });
const holding = (text: string) => ({
  getRange: (_key: string, offset: number, most: number) => {
    const all = new TextEncoder().encode(text);
    return Promise.resolve(
      offset > all.length ? null : { body: all.subarray(offset, offset + most), bytes: all.length },
    );
  },
});
const query = (fields: object) => ArtifactQuery.parse({ kind: 'patch', attempt: '1', ...fields });

test('parts put together are the whole, and none ends within a character', async () => {
  const text = '€𝄞ü'.repeat(MAX_ARTIFACT_PART_BYTES / 4);
  let [read, offset]: [string, number | null] = ['', 0];
  while (offset !== null) {
    const part = await readArtifactPart(done, query({ offset: String(offset) }), holding(text));
    read += part.text;
    offset = part.next_offset;
  }
  expect(read === text).toBe(true);
});

test('a cut anywhere leaves whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, at) => {
      const bytes = new TextEncoder().encode(text);
      const cut = bytes.subarray(0, (at % bytes.length) + 1);
      const kept = cut.subarray(0, countCompleteUtf8Bytes(cut));
      expect(() => new TextDecoder('utf8', { fatal: true }).decode(kept)).not.toThrow();
      expect(cut.length - kept.length).toBeLessThan(4);
    }),
    { numRuns: 100 },
  );
});

it.each([
  [{ attempt: '7' }, 'has no attempt 7'],
  [{ kind: 'transcript' }, 'attempt 1 of task T1 has no transcript'],
  [{ attempt: undefined }, 'attempt 2 of task T1 has no patch'],
  [{ offset: '99' }, 'not that much of it'],
])('says what there is not: %j', async (fields, message) => {
  await expect(readArtifactPart(done, query(fields), holding('short'))).rejects.toThrow(message);
});

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);
const shot = { name: 'start', path: '/', width: 8, height: 6, sha256: sha256(png), bytes: png.length };
const summary = {
  name: 'screenshots',
  kind: 'executed' as const,
  outcome: 'passed' as const,
  required: false,
  blocked: false,
  cached: false,
  duration_ms: 1,
  detail: '',
  finding_count: 0,
  facts: {},
};
const shown = task({
  attempts: [
    attempt({
      artifact: left,
      verification: verification({ gates: [{ ...summary, screenshots: [shot] }] }),
    }),
  ],
});
const pictures = (bytes: Buffer | null) => ({
  asked: [] as string[],
  getRange(key: string) {
    this.asked.push(key);
    return Promise.resolve(bytes && { body: bytes, bytes: bytes.length });
  },
});

test('hands out a picture by name, as a whole', async () => {
  const objects = pictures(png);
  const part = await readArtifactPart(shown, query({ kind: 'screenshot', name: 'start' }), objects);
  expect(part).toMatchObject({
    kind: 'screenshot',
    encoding: 'base64',
    next_offset: null,
    bytes: png.length,
  });
  expect(Buffer.from(part.text, 'base64')).toEqual(png);
  expect(objects.asked).toEqual([`artifacts/T1/1/screenshot-${sha256(png)}.png`]);
});

it.each([
  ['has no screenshot other', png, { kind: 'screenshot', name: 'other' }],
  ['has no screenshot start', null, { kind: 'screenshot', name: 'start' }],
  ['asked for by its name', png, { kind: 'screenshot' }],
  ['is one part', png, { kind: 'screenshot', name: 'start', offset: '3' }],
  ['which has no name', png, { kind: 'patch', name: 'start' }],
  ['is not what the evidence tells of', Buffer.from('another'), { kind: 'screenshot', name: 'start' }],
])('hands out no picture where it %s', async (message, bytes, fields) => {
  await expect(readArtifactPart(shown, query(fields), pictures(bytes))).rejects.toThrow(message);
});

it('prints the last output of an attempt without a transcript, and the transcript of one without work', async () => {
  const failed = { status: 'failed', failure_code: 'agent_failed', output_tail: 'ENOENT ü\n' } as const;
  const said = task({
    attempts: [
      attempt({ report: report(failed) }),
      attempt({ number: 2, report: report({ ...failed, transcript_key: 'whole' }) }),
    ],
  });
  const get = (number: string) =>
    readArtifactPart(said, query({ kind: 'transcript', attempt: number }), holding('all of it'));
  expect(await get('1')).toMatchObject({ text: 'ENOENT ü\n', bytes: 10, next_offset: null });
  expect(await get('2')).toMatchObject({ text: 'all of it' });
});
