import { Agent, request as httpRequest } from 'node:http';
import type { EngineCredentials } from '../engine-credentials.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';

export interface AwsJsonAnswer {
  readonly status: number;
  readonly body: UnknownRecord;
}

/** A client of the AWS JSON protocol: the small part of an SDK client that the stack itself needs. */
export interface AwsJsonClient {
  /**
   * Returns also an error answer of the service (status 400 and up). Throws only if the service cannot be
   * reached.
   */
  call(operation: string, body: unknown, signal?: AbortSignal): Promise<AwsJsonAnswer>;
  /** Throws also for an error answer of the service. */
  callOrThrow(operation: string, body: unknown): Promise<UnknownRecord>;
  close(): void;
}

/** Returns a signature whose access key the engines compare; the rest of it they do not verify. */
const authorizationOf = ({ accessKeyId }: EngineCredentials): string =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20200101/us-east-1/service/aws4_request, SignedHeaders=host, Signature=none`;

/** `target` is the part of `X-Amz-Target` before the operation, e.g. `DynamoDB_20120810`. */
export function createAwsJsonClient(
  endpoint: string,
  target: string,
  credentials: EngineCredentials,
): AwsJsonClient {
  const authorization = authorizationOf(credentials);
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(endpoint);
  const call: AwsJsonClient['call'] = (operation, body, signal) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const request = httpRequest({
        agent,
        hostname,
        port,
        method: 'POST',
        path: '/',
        ...(signal === undefined ? {} : { signal }),
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(text),
          'x-amz-target': `${target}.${operation}`,
          'x-amz-date': '20200101T000000Z',
          authorization,
        },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          try {
            const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
            resolve({ status: response.statusCode ?? 0, body: isRecord(parsed) ? parsed : {} });
          } catch (error) {
            reject(error);
          }
        });
      });
      request.end(text);
    });
  return buildAwsJsonClient(call, () => agent.destroy());
}

/** Completes a client from its `call`. */
export const buildAwsJsonClient = (call: AwsJsonClient['call'], close: () => void): AwsJsonClient => ({
  call,
  async callOrThrow(operation, body) {
    const answer = await call(operation, body);
    if (answer.status < 400) return answer.body;
    throw new Error(`${operation} failed: ${JSON.stringify(answer.body)}`);
  },
  close,
});
