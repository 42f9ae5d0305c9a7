import { LOOPBACK_ADDRESS } from '../shared/lib/loopback-listener.ts';
import type { Stoppable } from './shared-types.ts';
import { startWorkerThread } from './worker-thread.ts';

/**
 * MB for young objects: those of one request are small, and V8 would let each thread collect some 50 MB of
 * them.
 */
const YOUNG_MB = 8;

/** An engine behind HTTP. */
export interface LocalAwsEngine extends Stoppable {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
}

/** An engine in its own thread, reached by messages, and over HTTP if it listens. */
export interface EngineThread extends Stoppable {
  readonly port: number | null;
  post(message: unknown): void;
}

interface EngineOptions {
  /** For messages, e.g. `DynamoDB`. */
  readonly name: string;
  readonly script: URL;
  readonly data: unknown;
  readonly env: Readonly<Record<string, string>>;
  /** Called when the engine dies after its start: the stack cannot run without it. */
  onFailure(error: Error): void;
  /** Called for each further message of the engine. */
  onMessage?(message: unknown): void;
}

/** Messages between the stack and an engine's thread. */
export type EngineMessage = { readonly port: number | null } | { readonly message: unknown };
export const STOP_ENGINE = 'stop';

/** An engine that this process did not start and does not stop. */
export const createExternalEngine = (endpoint: string): LocalAwsEngine => ({
  endpoint: endpoint.replace(/\/+$/, ''),
  stop: async () => {},
});

export const createEngineOfThread = ({ port, stop }: EngineThread): LocalAwsEngine => ({
  endpoint: `http://${LOOPBACK_ADDRESS}:${port}`,
  stop,
});

/** Starts an engine's thread and waits until it is ready. @throws Error if it ends before. */
export async function startEngineThread(options: EngineOptions): Promise<EngineThread> {
  const worker = startWorkerThread(options.script, process.env['NODE_COMPILE_CACHE'] ?? null, {
    workerData: options.data,
    env: { ...options.env },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const port = await new Promise<number | null>((resolve, reject) => {
    const fail = (error: unknown) => reject(new Error(`${options.name} did not start: ${String(error)}`));
    worker.once('error', fail);
    worker.once('exit', (code) => fail(`exit ${code}`));
    worker.on('message', (message: EngineMessage) => {
      if ('port' in message) resolve(message.port);
      else options.onMessage?.(message.message);
    });
  });
  worker.removeAllListeners('error').removeAllListeners('exit');
  let stopping = false;
  const fail = (reason: unknown) => {
    if (!stopping) options.onFailure(new Error(`${options.name} died: ${String(reason)}`));
  };
  worker.on('error', fail);
  worker.on('exit', (code) => fail(`exit ${code}`));
  return {
    port,
    post: (message) => worker.postMessage(message),
    async stop() {
      stopping = true;
      // A call that was under way may still fail in the thread, which `once` would reject with.
      const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.postMessage(STOP_ENGINE);
      await exited;
    },
  };
}
