import { request as httpRequest } from 'node:http';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type LocalSqsAndS3, startLocalSqsAndS3 } from '../../../local/queues/index.ts';
import { CREDENTIALS, clientConfig, resource, temporaryDirectory } from '../support/resources.ts';

const directory = temporaryDirectory();
let queues: LocalSqsAndS3;
let s3: S3Client;
const bare = (more: object = {}) =>
  new S3Client({
    ...clientConfig(queues.s3Endpoint),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    ...more,
  });

beforeAll(async () => {
  queues = await startLocalSqsAndS3({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: [resource('Files', 'AWS::S3::Bucket', { BucketName: 'files' })],
    counters: createOperationCounters(),
    onFailure: (error) => {
      throw error;
    },
  });
  s3 = bare();
  await s3.send(new PutObjectCommand({ Bucket: 'files', Key: 'there', Body: 'secret' }));
});
afterAll(async () => {
  s3.destroy();
  await queues.stop();
  directory.remove();
});

type Headers = Readonly<Record<string, string>>;

/** Sends exactly these headers: `fetch` would add its own and take out what it does not allow. */
function send(
  url: string,
  method: string,
  { headers = {}, body = '' }: { headers?: Headers; body?: string | Buffer } = {},
): Promise<{ status: number; text: string; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    const length = method === 'PUT' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const request = httpRequest(url, { method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, code: /<Code>(.*?)<\/Code>/.exec(text)?.[1] });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const presignGet = (options: object = {}, client = s3) =>
  getSignedUrl(client, new GetObjectCommand({ Bucket: 'files', Key: 'there' }), options);
const presignPut = (
  Key: string,
  input: Partial<PutObjectCommandInput> = {},
  signed: readonly string[] = [],
) =>
  getSignedUrl(s3, new PutObjectCommand({ Bucket: 'files', Key, ...input }), {
    unhoistableHeaders: new Set(signed),
    signableHeaders: new Set(['host', ...signed]),
  });
const isThere = async (Key: string): Promise<boolean> =>
  s3.send(new HeadObjectCommand({ Bucket: 'files', Key })).then(
    () => true,
    () => false,
  );

/** Two URLs that decode to the same are the same. */
const decoded = (text: string): string =>
  text.replaceAll(/%[0-9A-F]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

describe('presigned URLs', () => {
  test('one that is good reads and writes, whatever characters the key has', async () => {
    expect((await send(await presignGet(), 'GET')).text).toBe('secret');
    for (const key of ["a b+c'(d)!*~é.txt", 'deep/er/ä/%41', 'x=y&z?w#v']) {
      expect(await send(await presignPut(key), 'PUT', { body: key })).toMatchObject({ status: 200 });
      const read = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'files', Key: key }));
      expect((await send(read, 'GET')).text).toBe(key);
    }
  });

  test('no request goes through without a signature', async () => {
    const [bucket] = (await presignGet()).split('?');
    expect(await send(bucket ?? '', 'GET')).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(await send(`${queues.s3Endpoint}/files/new`, 'PUT')).toMatchObject({ status: 403 });
    expect(await send(`${queues.s3Endpoint}/files?list-type=2`, 'GET')).toMatchObject({ status: 403 });
    expect(await send(`${queues.s3Endpoint}/health`, 'GET')).toMatchObject({ status: 403 });
    const form = 'multipart/form-data; boundary=x';
    const post = await send(`${queues.s3Endpoint}/files`, 'POST', { headers: { 'content-type': form } });
    expect(post).toMatchObject({ status: 403 });
    // A header of SQS makes no other path a path of SQS.
    const disguised = {
      'x-amz-target': 'AmazonSQS.ListQueues',
      'content-type': 'application/x-amz-json-1.0',
    };
    expect(
      await send(`${queues.s3Endpoint}/files/new`, 'PUT', { headers: disguised, body: '{}' }),
    ).toMatchObject({
      status: 403,
    });
    expect(await isThere('new')).toBe(false);
  });

  test('one that has changed in any character is refused, and says so as S3 does', async () => {
    const url = new URL(await presignGet());
    const tampered = await send(`${url.origin}/files/other${url.search}`, 'GET');
    expect(tampered).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(await send(url.href, 'PUT', { body: 'mine' })).toMatchObject({ code: 'SignatureDoesNotMatch' });
    expect(await send(`${url.href}&versionId=1`, 'GET')).toMatchObject({ code: 'SignatureDoesNotMatch' });
    const otherDay = url.href.replace(/(Credential=\w+%2F)\d{8}/, '$120200101');
    expect(await send(otherDay, 'GET')).toMatchObject({ status: 400 });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom('0', 'a', 'Z', '%41', '&', '-', ''), async (at, mark) => {
        const text = url.pathname + url.search;
        const index = 1 + (at % (text.length - 1));
        const changed = text.slice(0, index) + mark + text.slice(index + 1);
        if (decoded(changed) === decoded(text)) return;
        const answer = await send(url.origin + changed, 'GET');
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.text).not.toBe('secret');
      }),
      { numRuns: 200 },
    );
    expect((await send(url.href, 'GET')).text).toBe('secret');
  });

  test('one that has expired, is not valid yet, or is good for longer than a week is refused', async () => {
    const at = (seconds: number) => ({ signingDate: new Date(Date.now() + seconds * 1000) });
    const expired = await send(await presignGet({ ...at(-61), expiresIn: 60 }), 'GET');
    expect(expired).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(expired.text).toContain('<Message>Request has expired</Message><X-Amz-Expires>60</X-Amz-Expires>');
    expect(await send(await presignGet({ ...at(-50), expiresIn: 60 }), 'GET')).toMatchObject({ status: 200 });
    expect(await send(await presignGet({ ...at(1000) }), 'GET')).toMatchObject({ status: 403 });
    const long = (await presignGet()).replace('X-Amz-Expires=900', 'X-Amz-Expires=604801');
    expect(await send(long, 'GET')).toMatchObject({ status: 400, code: 'AuthorizationQueryParametersError' });
    const longer = (await presignGet({ expiresIn: 60 })).replace('X-Amz-Expires=60', 'X-Amz-Expires=600');
    expect(await send(longer, 'GET')).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });

  test('another key, another secret, another region are refused', async () => {
    const sign = (more: object) => presignGet({}, bare(more));
    const key = { accessKeyId: CREDENTIALS.accessKeyId, secretAccessKey: 'guessed' };
    expect(await send(await sign({ credentials: key }), 'GET')).toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
    const other = { accessKeyId: 'AKIAOTHER', secretAccessKey: CREDENTIALS.secretAccessKey };
    expect(await send(await sign({ credentials: other }), 'GET')).toMatchObject({
      code: 'InvalidAccessKeyId',
    });
    expect(await send(await sign({ region: 'eu-west-1' }), 'GET')).toMatchObject({
      status: 400,
      code: 'AuthorizationQueryParametersError',
    });
  });

  test('headers that are signed must be sent as they are, and no header of S3 may be added', async () => {
    const names = ['content-length', 'if-none-match', 'x-amz-checksum-sha256'];
    const digest = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='; // of `hello`
    const url = await presignPut(
      'signed',
      { ContentLength: 5, IfNoneMatch: '*', ChecksumSHA256: digest },
      names,
    );
    const headers = { 'if-none-match': '*', 'x-amz-checksum-sha256': digest };
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe(
      'content-length;host;if-none-match;x-amz-checksum-sha256',
    );
    const refused: { headers: Headers; body: string }[] = [
      { headers: { 'x-amz-checksum-sha256': digest }, body: 'hello' },
      { headers: { 'if-none-match': '*' }, body: 'hello' },
      { headers: { ...headers, 'if-none-match': '"x"' }, body: 'hello' },
      { headers, body: 'hello there' },
    ];
    for (const attempt of refused) {
      expect(await send(url, 'PUT', attempt)).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    }
    const added = await send(url, 'PUT', { headers: { ...headers, 'x-amz-meta-a': 'b' }, body: 'hello' });
    expect(added).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(added.text).toContain('<HeadersNotSigned>x-amz-meta-a</HeadersNotSigned>');
    const copy = await send(await presignPut('copy'), 'PUT', {
      headers: { 'x-amz-copy-source': '/files/there' },
    });
    expect(copy).toMatchObject({ status: 403, code: 'AccessDenied' });
    // The length is right, the content is not.
    expect(await send(url, 'PUT', { headers, body: 'hullo' })).toMatchObject({
      status: 400,
      code: 'BadDigest',
    });
    expect(await isThere('signed')).toBe(false);
    expect(await send(url, 'PUT', { headers, body: 'hello' })).toMatchObject({ status: 200 });
    expect(await send(url, 'PUT', { headers, body: 'hello' })).toMatchObject({
      status: 412,
      code: 'PreconditionFailed',
    });
  });

  test('a large upload that is refused gets its answer', async () => {
    const url = await presignPut('large');
    const body = Buffer.alloc(20 * 1_048_576);
    const answer = await send(url.replace('/large', '/larger'), 'PUT', { body });
    expect(answer).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });
});

describe('requests that the SDK signs in their header', () => {
  test('are taken with the secret, and refused without it or long after', async () => {
    const put = (client: S3Client) =>
      client.send(new PutObjectCommand({ Bucket: 'files', Key: 'by the sdk', Body: 'x' }));
    const forger = bare({
      credentials: { accessKeyId: CREDENTIALS.accessKeyId, secretAccessKey: 'guessed' },
    });
    await expect(put(forger)).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    await expect(put(bare({ systemClockOffset: -3_600_000 }))).rejects.toMatchObject({
      name: 'RequestTimeTooSkewed',
    });
    await expect(put(bare({ region: 'eu-west-1' }))).rejects.toMatchObject({
      name: 'AuthorizationHeaderMalformed',
    });
    expect(await isThere('by the sdk')).toBe(false);
    await put(s3);
    await put(bare({ requestChecksumCalculation: 'WHEN_SUPPORTED' }));
    expect(await isThere('by the sdk')).toBe(true);
  });

  test('a header that is not of the form, or stands beside a signed query, is refused', async () => {
    const url = await presignGet();
    expect(await send(url, 'GET', { headers: { authorization: 'Bearer x' } })).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
    });
    const [path = ''] = url.split('?');
    for (const authorization of ['Bearer x', 'AWS4-HMAC-SHA256 Credential=x', 'AWS embedded:x']) {
      expect(await send(path, 'GET', { headers: { authorization } })).toMatchObject({
        status: 400,
        code: 'AuthorizationHeaderMalformed',
      });
    }
  });
});
