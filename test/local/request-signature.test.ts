import type { IncomingMessage } from 'node:http';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngineCredentials, hasSecretKey } from '../../local/engine-credentials.ts';
import { isSignedRequest, type SignableRequest, signRequest } from '../../local/request-signature.ts';
import {
  isAuthenticationLeftToHandler,
  type LoopbackListener,
  listenOnLoopback,
} from '../../shared/lib/loopback-listener.ts';
import { CREDENTIALS, clientConfig } from './support/resources.ts';

const received: SignableRequest[] = [];
let listener: LoopbackListener;
beforeAll(async () => {
  listener = await listenOnLoopback(
    { servesPages: false, isAuthenticated: isAuthenticationLeftToHandler },
    ({ method = '', url = '', headers }, response) => {
      received.push({ method, url, headers });
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    },
  );
});
afterAll(() => listener.stop());

/** Returns the request that an SDK client sends. */
async function sent(
  send: (config: ReturnType<typeof clientConfig>) => Promise<unknown>,
): Promise<SignableRequest> {
  await send(clientConfig(listener.url)).catch(() => {});
  const request = received.pop();
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}
const CLIENTS = {
  dynamodb: () => sent((config) => new DynamoDBClient(config).send(new ListTablesCommand({}))),
  sqs: () => sent((config) => new SQSClient(config).send(new ListQueuesCommand({}))),
  sfn: () => sent((config) => new SFNClient(config).send(new ListStateMachinesCommand({}))),
  lambda: () =>
    sent((config) =>
      new LambdaClient(config).send(
        new InvokeCommand({
          FunctionName: 'arn:aws:lambda:us-east-1:123456789012:function:a b',
          Qualifier: 'x y',
        }),
      ),
    ),
};

describe('signatures of the engines', () => {
  it.each(Object.entries(CLIENTS))('accepts what the SDK signs: %s', async (_name, send) => {
    const request = await send();
    expect(isSignedRequest(request, CREDENTIALS)).toBe(true);
    // Of another secret key, access key id or time, or with a header changed, it is not.
    const { accessKeyId, secretAccessKey } = createEngineCredentials();
    expect(isSignedRequest(request, { ...CREDENTIALS, secretAccessKey })).toBe(false);
    expect(isSignedRequest(request, { ...CREDENTIALS, accessKeyId })).toBe(false);
    expect(isSignedRequest(request, CREDENTIALS, Date.now() + 901_000)).toBe(false);
    for (const changed of [
      { ...request, method: 'PUT' },
      { ...request, url: `${request.url}?a=b` },
      { ...request, headers: { ...request.headers, 'x-amz-target': 'DynamoDB_20120810.Scan' } },
      { ...request, headers: { ...request.headers, 'x-amz-content-sha256': '0'.repeat(64) } },
      { ...request, headers: { ...request.headers, 'x-amz-more': '1' } },
    ])
      expect(isSignedRequest(changed, CREDENTIALS)).toBe(false);
  });

  it('accepts what its own client signs', () => {
    const headers = {
      host: '127.0.0.1:1',
      'x-amz-date': `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    };
    const request = { method: 'POST', url: '/', headers };
    const authorization = signRequest(request, 'local', CREDENTIALS, 'us-east-1');
    expect(isSignedRequest({ ...request, headers: { ...headers, authorization } }, CREDENTIALS)).toBe(true);
  });

  it('accepts nothing made from what a presigned URL contains', async () => {
    const s3 = new S3Client(clientConfig(listener.url));
    const url = new URL(await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'files', Key: 'key' })));
    const values = [...url.searchParams.values()];
    const parts = [...values, ...values.flatMap((text) => text.split('/'))];
    expect(parts).toContain(CREDENTIALS.accessKeyId);
    expect(url.href).not.toContain(CREDENTIALS.secretAccessKey);
    const credential = url.searchParams.get('X-Amz-Credential');
    const date = String(url.searchParams.get('X-Amz-Date'));
    for (const part of parts) {
      const names = 'host;x-amz-content-sha256;x-amz-date';
      for (const authorization of [
        `Bearer ${part}`,
        part,
        `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${part}`,
        `AWS4-HMAC-SHA256 Credential=${part}, SignedHeaders=${names}, Signature=${url.searchParams.get('X-Amz-Signature')}`,
      ]) {
        const headers = {
          host: url.host,
          authorization,
          'x-amz-date': date,
          'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        };
        for (const path of ['/', url.pathname, `${url.pathname}${url.search}`])
          expect(
            hasSecretKey({ method: 'GET', url: path, headers } as unknown as IncomingMessage, CREDENTIALS),
          ).toBe(false);
      }
    }
  });

  it('makes a secret key that does not follow from the access key id', () => {
    const made = Array.from({ length: 50 }, createEngineCredentials);
    expect(new Set(made.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(50);
    expect(new Set(made.map(({ accessKeyId }) => accessKeyId)).size).toBe(50);
    for (const { accessKeyId, secretAccessKey } of made)
      expect(secretAccessKey).not.toContain(accessKeyId.slice(5));
  });

  it('refuses every header that is no signature, and throws for none', () => {
    const request = (authorization: string) => ({
      method: 'POST',
      url: '/',
      headers: { host: '127.0.0.1', authorization },
    });
    fc.assert(fc.property(fc.string(), (text) => !isSignedRequest(request(text), CREDENTIALS)));
  });
});
