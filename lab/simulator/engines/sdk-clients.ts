import { ECSClient } from '@aws-sdk/client-ecs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import type { SimulatedService } from '../world/call-faults.ts';

/** An SDK command: its class names the operation. */
interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Readonly<Record<string, unknown>>;
}
export type SendCommand = (
  service: SimulatedService,
  operation: string,
  input: Command['input'],
) => Promise<unknown>;

let send: SendCommand | null = null;
/** Where the calls of all SDK clients go from now on. */
export function routeSdkCalls(to: SendCommand | null): void {
  send = to;
}

/** Lets every client of the SDK call the simulated services: the stores and handlers above them run unchanged. */
export function installSdkClients(): void {
  const clients = [
    [DynamoDBDocumentClient, 'dynamodb'],
    [S3Client, 's3'],
    [SQSClient, 'sqs'],
    [ECSClient, 'ecs'],
    [LambdaClient, 'lambda'],
    [SFNClient, 'states'],
    [EventBridgeClient, 'events'],
  ] as const;
  for (const [client, service] of clients)
    Object.defineProperty(client.prototype, 'send', {
      configurable: true,
      value: (command: Command) => {
        if (!send) throw new Error(`${service} was called outside of a run`);
        return send(service, command.constructor.name, command.input);
      },
    });
  Object.defineProperty(S3RequestPresigner.prototype, 'presign', { configurable: true, value: presign });
}

/** As the presigner of S3: these are no part of a signature. */
const UNSIGNED = new Set(['host', 'content-type', 'user-agent', 'amz-sdk-invocation-id', 'amz-sdk-request']);

interface Presignable {
  readonly query?: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** A presigned request that carries what a signature would cover, in plain words: nobody here forges one, and hashing costs time. */
async function presign(
  request: Presignable,
  options: { readonly expiresIn?: number; readonly unhoistableHeaders?: Set<string> } = {},
): Promise<Presignable> {
  const given = Object.entries(request.headers).filter(([name]) => !UNSIGNED.has(name));
  const goesToQuery = (name: string): boolean =>
    name.startsWith('x-amz-') && !options.unhoistableHeaders?.has(name);
  const covered = given.filter(([name]) => !goesToQuery(name));
  return {
    ...request,
    query: {
      ...request.query,
      ...Object.fromEntries(given.filter(([name]) => goesToQuery(name))),
      'X-Amz-Date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
      'X-Amz-Expires': String(options.expiresIn ?? 900),
      'X-Amz-SignedHeaders': ['host', ...covered.map(([name]) => name)].join(';'),
      ...Object.fromEntries(covered.map(([name, value]) => [`sim-${name}`, value])),
    },
  };
}
