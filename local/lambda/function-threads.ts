import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startWorkerThread } from '../worker-thread.ts';
import {
  type CreateInstanceMessage,
  convertToInvokeError,
  type FunctionInstanceSettings,
  type LambdaInvokeError,
} from './thread-protocol.ts';

/** Heap of one thread in MB: affordable on a laptop, and far above what all functions together use. */
const HEAP_MB = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };
/** Milliseconds that other invocations in the thread of a killed function may take to finish. */
const GRACE_MS = 2_000;

/** An instance of a function in a thread. */
interface Tenant {
  /** Called when the thread has ended. */
  threadEnded(error: LambdaInvokeError): void;
  /** Called when the thread takes no further invocations. The tenant leaves when it has none running. */
  retire(): void;
}

export interface FunctionThread {
  readonly tenants: number;
  /** True for a thread with one instance only. */
  readonly isExclusive: boolean;
  /** Creates an instance of a function. `leave` removes it. */
  open(data: FunctionInstanceSettings, tenant: Tenant): { readonly port: MessagePort; leave(): void };
  has(functionName: string): boolean;
  /** Ends the thread when no invocation runs in it, or after a grace period. */
  retire(): void;
  stop(): Promise<void>;
}

function startFunctionThread(cache: string, isAlone: boolean, onEnd: () => void): FunctionThread {
  const worker: Worker = startWorkerThread(new URL('./function-worker.ts', import.meta.url), cache, {
    workerData: { cache },
    env: {},
    resourceLimits: HEAP_MB,
  });
  const tenants = new Map<Tenant, { readonly name: string; readonly port: MessagePort }>();
  let isRetired = false;
  const end = (error: LambdaInvokeError): void => {
    onEnd();
    for (const [tenant, { port }] of [...tenants]) {
      tenants.delete(tenant);
      port.close();
      tenant.threadEnded(error);
    }
  };
  const stop = async (): Promise<void> => {
    onEnd();
    await worker.terminate();
  };
  worker.on('error', (error) => end(convertToInvokeError(error)));
  worker.on('exit', (code) =>
    end({ errorType: 'Runtime.ExitError', errorMessage: `Error: Runtime exited with code ${code}` }),
  );
  const leave = (tenant: Tenant): void => {
    tenants.get(tenant)?.port.close();
    tenants.delete(tenant);
    if (tenants.size === 0) void stop();
  };
  return {
    isExclusive: isAlone,
    get tenants() {
      return tenants.size;
    },
    has: (functionName) => [...tenants.values()].some(({ name }) => name === functionName),
    open(data, tenant) {
      const { port1: port, port2 } = new MessageChannel();
      tenants.set(tenant, { name: data.functionName, port });
      const message: CreateInstanceMessage = { data, port: port2 };
      worker.postMessage(message, [port2]);
      return { port, leave: () => leave(tenant) };
    },
    retire() {
      if (isRetired) return;
      isRetired = true;
      onEnd();
      setTimeout(() => void stop(), GRACE_MS).unref();
      for (const tenant of [...tenants.keys()]) tenant.retire();
    },
    stop,
  };
}

export interface FunctionThreads {
  /**
   * Returns the thread for a new instance. Two instances of a function share a thread only if all threads
   * have one.
   */
  next(functionName: string): FunctionThread;
  /** Starts a thread for one instance only. */
  startExclusive(): FunctionThread;
  stop(): Promise<void>;
}

/**
 * Creates the threads that all functions share. An empty thread takes 20 MB and a function in it some 9, so
 * an idle stack has one thread; busy functions get more.
 * @param cache folder for compiled code. @param most maximum number of shared threads.
 */
export function createFunctionThreads(cache: string, most: number): FunctionThreads {
  const threads = new Set<FunctionThread>();
  const start = (isAlone: boolean): FunctionThread => {
    const made: FunctionThread = startFunctionThread(cache, isAlone, () => threads.delete(made));
    threads.add(made);
    return made;
  };
  return {
    next(functionName) {
      const shared = [...threads].filter((thread) => !thread.isExclusive);
      const free = shared.find((thread) => !thread.has(functionName));
      if (free) return free;
      if (shared.length < most) return start(false);
      return shared.reduce((least, each) => (each.tenants < least.tenants ? each : least));
    },
    startExclusive: () => start(true),
    async stop() {
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}
