import { randomUUID } from 'node:crypto';
import type { InvokeResult, ResponseSink } from '../shared-types.ts';
import type { FunctionSpec } from './function-spec.ts';
import type { FunctionThread } from './function-threads.ts';
import type {
  FunctionInstanceSettings,
  InvokeMessage,
  LambdaInvokeError,
  MessageFromInstance,
  MessageToInstance,
} from './thread-protocol.ts';

/** One execution environment of a function. */
export interface FunctionInstance {
  /** Runs one invocation. To be called only when no other is running. Never throws. */
  invoke(event: string, sink?: ResponseSink): Promise<InvokeResult>;
  stop(): Promise<void>;
}

interface InstanceOptions {
  readonly spec: FunctionSpec & { readonly directory: string };
  /** The whole environment of the function. */
  readonly env: Readonly<Record<string, string>>;
  readonly thread: FunctionThread;
  onLog(line: string): void;
  /** Aborts the start. */
  readonly stopped: AbortSignal;
  /** Called when it takes no further invocations, before the running one is answered. */
  onEnd(): void;
}

/** Waits until the function's code is loaded. Throws the error of loading. */
export async function startFunctionInstance(options: InstanceOptions): Promise<FunctionInstance> {
  const { spec, env, thread, onLog, onEnd, stopped } = options;
  const data: FunctionInstanceSettings = {
    directory: spec.directory,
    handler: spec.handler,
    functionName: spec.name,
    functionArn: spec.arn,
    memoryMb: spec.memoryMb,
    env,
  };
  let settle: ((result: InvokeResult) => void) | null = null;
  let sink: ResponseSink | undefined;
  let ended = false;
  let isRetired = false;
  let rejectStart: (error: LambdaInvokeError) => void = () => {};
  const end = (): void => {
    if (!ended) onEnd();
    ended = true;
  };
  const done = (result: InvokeResult): void => {
    const settled = settle;
    settle = null;
    if (isRetired) leaveForGood();
    settled?.(result);
  };
  const fail = (error: LambdaInvokeError): void => done({ payload: { ...error }, error });
  const { port, leave } = thread.open(data, {
    threadEnded(error) {
      end();
      rejectStart(error);
      fail(error);
    },
    retire() {
      isRetired = true;
      if (settle === null) leaveForGood();
    },
  });
  const leaveForGood = (): void => {
    end();
    leave();
  };
  const send = (message: MessageToInstance): void => port.postMessage(message);
  const terminate = (): void => void thread.stop();
  stopped.addEventListener('abort', terminate);
  await new Promise<void>((resolve, reject) => {
    rejectStart = reject;
    port.on('message', (message: MessageFromInstance) => {
      if (message.kind === 'log') onLog(message.line);
      else if (message.kind === 'ready') resolve();
      else if (message.kind === 'load-failed') {
        leaveForGood();
        reject(message.error);
      } else if (message.kind === 'head') sink?.head(message.status, message.headers);
      else if (message.kind === 'chunk')
        void Promise.resolve(sink?.chunk(message.bytes)).then(() => send({ kind: 'resume' }));
      else if (message.kind === 'done') done({ payload: JSON.parse(message.payload) });
      else fail(message.error);
    });
  }).finally(() => stopped.removeEventListener('abort', terminate));

  return {
    invoke(event, into) {
      sink = into;
      const requestId = randomUUID();
      const message: InvokeMessage = {
        kind: 'invoke',
        requestId,
        event,
        deadline: Date.now() + spec.timeoutMs,
      };
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          const seconds = (spec.timeoutMs / 1000).toFixed(2);
          fail({
            errorType: 'Sandbox.Timedout',
            errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
          });
          leaveForGood();
          thread.retire();
        }, spec.timeoutMs);
        settle = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
        send(message);
      });
    },
    async stop() {
      leaveForGood();
      // The running invocation gets no further answer.
      fail({ errorType: 'Runtime.Stopped', errorMessage: 'the embedded stack is stopping' });
    },
  };
}
