import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { InvokeResult, ResponseSink } from '../ports.ts';
import { startThread } from '../thread.ts';
import type { FunctionSpec } from './function-spec.ts';
import {
  describeError,
  type InvokeError,
  type InvokeMessage,
  type RoomMessage,
  type WorkerData,
  type WorkerMessage,
} from './protocol.ts';

/** One execution environment of a function: a worker thread. */
export interface Instance {
  /** Runs one invocation; to be called only when no other is under way. Never throws. */
  invoke(event: string, sink?: ResponseSink): Promise<InvokeResult>;
  stop(): Promise<void>;
}

interface InstanceOptions {
  readonly spec: FunctionSpec & { readonly directory: string };
  /** The whole environment of the function. */
  readonly env: Readonly<Record<string, string>>;
  readonly compileCache: string;
  onLog(line: string): void;
  /** Ends the thread while it starts. */
  readonly stopped: AbortSignal;
  /** Called when the thread takes no further invocations, before the one under way is answered. */
  onEnd(): void;
}

/** Starts a thread and waits until the function's code is loaded. Throws what loading threw. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { spec, env, compileCache, onLog, onEnd, stopped } = options;
  const data: WorkerData = {
    directory: spec.directory,
    handler: spec.handler,
    functionName: spec.name,
    functionArn: spec.arn,
    memoryMb: spec.memoryMb,
  };
  const worker = startThread(new URL('./worker.ts', import.meta.url), compileCache, {
    workerData: data,
    env: { ...env },
    resourceLimits: { maxOldGenerationSizeMb: spec.memoryMb, maxYoungGenerationSizeMb: 8 },
    stdout: true,
    stderr: true,
  });
  for (const stream of [worker.stdout, worker.stderr]) createInterface({ input: stream }).on('line', onLog);

  let settle: ((result: InvokeResult) => void) | null = null;
  let sink: ResponseSink | undefined;
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd();
    ended = true;
  };
  const fail = (error: InvokeError): void => {
    settle?.({ payload: { ...error }, error });
    settle = null;
  };
  const terminate = (): void => void worker.terminate();
  stopped.addEventListener('abort', terminate);
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'load-failed') {
        reject(message.error);
        void worker.terminate();
      } else if (message.kind === 'head') sink?.head(message.status, message.headers);
      else if (message.kind === 'chunk') {
        const room: RoomMessage = { kind: 'room' };
        void Promise.resolve(sink?.chunk(message.bytes)).then(() => worker.postMessage(room));
      } else if (message.kind === 'done') {
        settle?.({ payload: JSON.parse(message.payload) });
        settle = null;
      } else fail(message.error);
    });
    worker.on('error', (error) => {
      end();
      reject(describeError(error));
      fail(describeError(error));
    });
    worker.on('exit', (code) => {
      const error = {
        errorType: 'Runtime.ExitError',
        errorMessage: `Error: Runtime exited with code ${code}`,
      };
      end();
      reject(error);
      fail(error);
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
          end();
          const seconds = (spec.timeoutMs / 1000).toFixed(2);
          fail({
            errorType: 'Sandbox.Timedout',
            errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
          });
          void worker.terminate();
        }, spec.timeoutMs);
        settle = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
        worker.postMessage(message);
      });
    },
    async stop() {
      await worker.terminate();
    },
  };
}
