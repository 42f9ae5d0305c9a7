import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A request of a client of the SDK, and what its handler gives back, as far as they are used here. */
interface SdkRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}
interface SdkResponse {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  };
}

/** What dynalite looks for; it checks no signature, so none is computed. */
const SIGNED = {
  authorization: 'AWS4-HMAC-SHA256 Credential=test, SignedHeaders=host, Signature=test',
  'x-amz-date': '20260101T000000Z',
};

/** What a client does for networks and signatures, with each request. */
const NOT_NEEDED = [
  'loggerMiddleware',
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
  'retryMiddleware',
  'httpSigningMiddleware',
];

/**
 * A client's way to a server of dynalite that does not listen: sockets, HTTP and signatures took half of the CPU of the tests of stores, and
 * none of them is theirs.
 */
export function createInProcessClient(server: Server): DynamoDBClient {
  const handle = ({ method, headers, body = '' }: SdkRequest): Promise<SdkResponse> =>
    new Promise((resolve) => {
      const request = Object.assign(new EventEmitter(), {
        method,
        url: '/',
        headers: { ...headers, ...SIGNED },
      });
      const answered: Record<string, string> = {};
      const response = {
        statusCode: 200,
        setHeader: (name: string, value: unknown) => {
          answered[name.toLowerCase()] = String(value);
        },
        end(content: string) {
          resolve({
            response: { statusCode: this.statusCode, headers: answered, body: Buffer.from(content) },
          });
        },
      };
      // Not in the turn of whoever asks: others may come first, as they may over a network.
      setImmediate(() => {
        server.emit('request', request, response);
        request.emit('data', Buffer.from(body));
        request.emit('end');
      });
    });
  const client = new DynamoDBClient({
    endpoint: 'http://127.0.0.1',
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { handle },
  });
  for (const name of NOT_NEEDED) client.middlewareStack.remove(name);
  return client;
}
