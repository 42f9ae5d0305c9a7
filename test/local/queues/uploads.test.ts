import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkContentLength, checkUploadBody } from '../../../local/queues/s3/body-check.ts';
import { checkPreconditions } from '../../../local/queues/s3/preconditions.ts';
import { createS3Error, s3ErrorDocument } from '../../../local/queues/s3/s3-error.ts';

const plain = (body: Buffer) => ({ body, trailers: {} });
const digest = (algorithm: string, body: Buffer) => createHash(algorithm).update(body).digest('base64');
const codeOf = (headers: Readonly<Record<string, string>>, text: string) =>
  checkUploadBody(headers, Buffer.from(text), plain)?.code ?? null;

describe('the body of an upload', () => {
  test('is taken with its own digests, and with no other', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
        const [body, claimed] = [Buffer.from(one), Buffer.from(other)];
        const same = body.equals(claimed);
        for (const algorithm of ['sha1', 'sha256']) {
          const refused = checkUploadBody(
            { [`x-amz-checksum-${algorithm}`]: digest(algorithm, claimed) },
            body,
            plain,
          );
          expect(refused?.code ?? null).toBe(same ? null : 'BadDigest');
        }
        const md5 = checkUploadBody({ 'content-md5': digest('md5', claimed) }, body, plain);
        expect(md5?.code ?? null).toBe(same ? null : 'BadDigest');
        const hash = createHash('sha256').update(claimed).digest('hex');
        const content = checkUploadBody({ 'x-amz-content-sha256': hash }, body, plain);
        expect(content?.code ?? null).toBe(same ? null : 'XAmzContentSHA256Mismatch');
      }),
    );
  });

  test.each([
    [{ 'x-amz-checksum-crc32': 'NhCmhg==' }, null],
    [{ 'x-amz-checksum-crc32': 'NhCmhw==' }, 'BadDigest'],
    [{ 'x-amz-checksum-sha256': 'not base64' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-sha256': 'AAAA' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' }, 'NotImplemented'],
    [{ 'x-amz-checksum-crc32': 'NhCmhg==', 'x-amz-checksum-sha1': 'AAAA' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-mode': 'ENABLED', 'x-amz-checksum-algorithm': 'SHA256' }, null],
    [{ 'content-md5': 'AAAA' }, 'InvalidDigest'],
    [{ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }, null],
    [{ 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }, 'NotImplemented'],
    [{ 'x-amz-decoded-content-length': '6' }, 'IncompleteBody'],
  ] as const)('`hello` with %j: %s', (headers, code) => {
    expect(codeOf(headers, 'hello')).toBe(code);
  });

  test('that comes in chunks is judged without its framing, by what stands behind it', () => {
    const decode = () => ({ body: Buffer.from('hello'), trailers: { 'x-amz-checksum-crc32': 'AAAAAA==' } });
    const headers = { 'content-encoding': 'aws-chunked' };
    expect(checkUploadBody(headers, Buffer.from('5\r\nhello\r\n'), decode)?.code).toBe('BadDigest');
  });

  test('has a length that is known and not too large', () => {
    expect(checkContentLength({ 'content-length': '10' }, 10)).toBeNull();
    expect(checkContentLength({ 'content-length': '11' }, 10)?.code).toBe('EntityTooLarge');
    expect(checkContentLength({}, 10)?.code).toBe('MissingContentLength');
    expect(checkContentLength({ 'transfer-encoding': 'chunked' }, 10)?.code).toBe('NotImplemented');
  });
});

describe('a condition on a write', () => {
  const store = {
    headObject(_bucket: string, key: string) {
      if (key !== 'there') throw new Error('NoSuchKey');
      return { etag: '"abc"' };
    },
  };
  test.each([
    ['there', {}, null],
    ['there', { 'if-none-match': '*' }, 412],
    ['not there', { 'if-none-match': '*' }, null],
    ['there', { 'if-none-match': '"abc"' }, 501],
    ['there', { 'if-match': '"abc"' }, null],
    ['there', { 'if-match': '"xyz"' }, 412],
    ['there', { 'if-match': '*' }, null],
    ['not there', { 'if-match': '"abc"' }, 404],
    ['there', { 'if-match': '"abc"', 'if-none-match': '*' }, 501],
  ])('on the key %j with %j: %s', (key, headers, status) => {
    expect(checkPreconditions(store, 'files', key, headers)?.status ?? null).toBe(status);
  });
});

test('an error document holds what a client sent as text', () => {
  expect(s3ErrorDocument(createS3Error(403, 'X', '<a> & "b"', { Key: '<k>' }))).toContain(
    '<Error><Code>X</Code><Message>&lt;a&gt; &amp; &quot;b&quot;</Message><Key>&lt;k&gt;</Key></Error>',
  );
});
