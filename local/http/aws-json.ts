import { Agent, request as httpRequest } from 'node:http';
import type { EngineCredentials } from '../engine-credentials.ts';
import { signRequest } from '../request-signature.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import { LOCAL_REGION } from '../template/identity.ts';

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

/** Milliseconds for which one signature is used: the body is not part of it. */
const SIGNATURE_MS = 60_000;

/** Returns a function that gives the signed headers of an operation. */
function createHeaderSigner(host: string, target: string, credentials: EngineCredentials) {
  const known = new Map<
    string,
    { readonly until: number; readonly headers: Readonly<Record<string, string>> }
  >();
  return (operation: string): Readonly<Record<string, string>> => {
    const now = Date.now();
    const signed = known.get(operation);
    if (signed !== undefined && signed.until > now) return signed.headers;
    const unsigned = {
      host,
      'x-amz-target': `${target}.${operation}`,
      'x-amz-date': `${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    };
    const request = { method: 'POST', url: '/', headers: unsigned };
    const authorization = signRequest(request, 'local', credentials, LOCAL_REGION);
    const headers = { ...unsigned, authorization };
    known.set(operation, { until: now + SIGNATURE_MS, headers });
    return headers;
  };
}

/** `target` is the part of `X-Amz-Target` before the operation, e.g. `DynamoDB_20120810`. */
export function createAwsJsonClient(
  endpoint: string,
  target: string,
  credentials: EngineCredentials,
): AwsJsonClient {
  const agent = new Agent({ keepAlive: true });
  const { host, hostname, port } = new URL(endpoint);
  const signedHeaders = createHeaderSigner(host, target, credentials);
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
          ...signedHeaders(operation),
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
