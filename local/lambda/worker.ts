/** The thread that runs one function: loads its bundle once, then takes one invocation at a time. */
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import {
  describeError,
  type InvokeMessage,
  type RoomMessage,
  type WorkerData,
  type WorkerMessage,
} from './protocol.ts';
import { createResponseStreams } from './response-stream.ts';

/** Lambda's limit of a synchronous answer, in bytes. */
const MAX_PAYLOAD_BYTES = 6 * 1_048_576;

type Handler = (event: unknown, context: Readonly<Record<string, unknown>>) => unknown;

const streams = createResponseStreams((message) => post(message));
// As in Lambda's own runtime, where it is a global, too.
Object.assign(globalThis, { awslambda: streams.awslambda });

const data = workerData as WorkerData;
const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

class ImportModuleError extends Error {
  override readonly name = 'Runtime.ImportModuleError';
}
class HandlerNotFound extends Error {
  override readonly name = 'Runtime.HandlerNotFound';
}
class ResponseSizeTooLarge extends Error {
  override readonly name = 'Function.ResponseSizeTooLarge';
}

function load(): Handler {
  const dot = data.handler.lastIndexOf('.');
  const [file, name] = [data.handler.slice(0, dot), data.handler.slice(dot + 1)];
  const base = join(data.directory, file);
  const path = ['.js', '.mjs', '.cjs'].map((extension) => base + extension).find((name) => existsSync(name));
  if (path === undefined) throw new ImportModuleError(`Error: Cannot find module '${file}'`);
  const exported: unknown = createRequire(path)(path)[name];
  if (typeof exported !== 'function') {
    throw new HandlerNotFound(`${data.handler} is undefined or not exported`);
  }
  return exported as Handler;
}

const contextOf = ({ requestId, deadline }: InvokeMessage): Readonly<Record<string, unknown>> => ({
  awsRequestId: requestId,
  functionName: data.functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: data.functionArn,
  memoryLimitInMB: String(data.memoryMb),
  logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'],
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId } = message;
  try {
    const event: unknown = JSON.parse(message.event);
    const result = streams.isStreaming(handler)
      ? await streams.run(handler, event, contextOf(message))
      : await handler(event, contextOf(message));
    const payload = JSON.stringify(result ?? null);
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
      throw new ResponseSizeTooLarge(`Response payload size exceeded maximum allowed payload size`);
    }
    post({ kind: 'done', requestId, payload });
  } catch (thrown) {
    post({ kind: 'failed', requestId, error: describeError(thrown) });
  }
}

try {
  const handler = load();
  parentPort?.on('message', (message: InvokeMessage | RoomMessage) => {
    if (message.kind === 'room') streams.room();
    else void invoke(handler, message);
  });
  post({ kind: 'ready' });
  module.flushCompileCache();
} catch (thrown) {
  post({ kind: 'load-failed', error: describeError(thrown) });
}
