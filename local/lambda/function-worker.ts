/** A thread that runs instances of functions, each with its own globals and one invocation at a time. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createFunctionGlobals, runWithGlobals } from './function-globals.ts';
import { type Handler, loadFunction } from './load-function.ts';
import { createLambdaResponseStreaming } from './response-stream.ts';
import {
  type CreateInstanceMessage,
  convertToInvokeError,
  type FunctionInstanceSettings,
  type InvokeMessage,
  type MessageFromInstance,
  type MessageToInstance,
} from './thread-protocol.ts';

/** Lambda's limit of a synchronous answer, in bytes. */
const MAX_PAYLOAD_BYTES = 6 * 1_048_576;

class ResponseSizeTooLarge extends Error {
  override readonly name = 'Function.ResponseSizeTooLarge';
}

const { cache } = workerData as { readonly cache: string };

const contextOf = (
  data: FunctionInstanceSettings,
  { requestId, deadline }: InvokeMessage,
): Record<string, unknown> => ({
  awsRequestId: requestId,
  functionName: data.functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: data.functionArn,
  memoryLimitInMB: String(data.memoryMb),
  logGroupName: data.env['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: data.env['AWS_LAMBDA_LOG_STREAM_NAME'],
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

function open(data: FunctionInstanceSettings, port: MessagePort): void {
  const post = (message: MessageFromInstance): void => port.postMessage(message);
  const streams = createLambdaResponseStreaming(post);
  // As in Lambda's runtime, where it is a global.
  const { awslambda } = streams;
  const around = createFunctionGlobals(data.env, (line) => post({ kind: 'log', line }), { awslambda });

  async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
    const { requestId } = message;
    try {
      const event: unknown = JSON.parse(message.event);
      const context = contextOf(data, message);
      const result = await runWithGlobals(around, () =>
        streams.isStreaming(handler) ? streams.run(handler, event, context) : handler(event, context),
      );
      const payload = JSON.stringify(result ?? null);
      if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
        throw new ResponseSizeTooLarge(`Response payload size exceeded maximum allowed payload size`);
      }
      post({ kind: 'done', requestId, payload });
    } catch (thrown) {
      post({ kind: 'failed', requestId, error: convertToInvokeError(thrown) });
    }
  }

  try {
    const { handler, keep } = loadFunction(data, around, awslambda, cache);
    keep();
    port.on('message', (message: MessageToInstance) => {
      if (message.kind === 'resume') streams.resume();
      // The first invocation compiles as much code as loading does.
      else void invoke(handler, message).then(keep);
    });
    post({ kind: 'ready' });
  } catch (thrown) {
    post({ kind: 'load-failed', error: convertToInvokeError(thrown) });
  }
}

parentPort?.on('message', ({ data, port }: CreateInstanceMessage) => open(data, port));
