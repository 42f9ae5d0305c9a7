import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startWorkerThread } from '../worker-thread.ts';
import { describeError, type FunctionData, type InvokeError, type OpenMessage } from './thread-protocol.ts';

/** Of one thread, in MB: what a laptop can spare, and far above what all functions together keep. */
const HEAP_MB = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };
/** How long those beside a function that is killed may finish, in milliseconds. */
const GRACE_MS = 2_000;

/** One instance of a function, as its thread knows it. */
interface Tenant {
  /** The thread is no more. */
  gone(error: InvokeError): void;
  /** The thread is about to end: no further invocation. The tenant leaves when it has none under way. */
  retire(): void;
}

export interface FunctionThread {
  readonly tenants: number;
  /** Of one instance, and of no other. */
  readonly isAlone: boolean;
  /** Loads a function; `leave` when it is not needed any more. */
  open(data: FunctionData, tenant: Tenant): { readonly port: MessagePort; leave(): void };
  has(functionName: string): boolean;
  /** Ends it as soon as nothing is under way in it, and soon in any case. */
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
  const end = (error: InvokeError): void => {
    onEnd();
    for (const [tenant, { port }] of [...tenants]) {
      tenants.delete(tenant);
      port.close();
      tenant.gone(error);
    }
  };
  const stop = async (): Promise<void> => {
    onEnd();
    await worker.terminate();
  };
  worker.on('error', (error) => end(describeError(error)));
  worker.on('exit', (code) =>
    end({ errorType: 'Runtime.ExitError', errorMessage: `Error: Runtime exited with code ${code}` }),
  );
  const leave = (tenant: Tenant): void => {
    tenants.get(tenant)?.port.close();
    tenants.delete(tenant);
    if (tenants.size === 0) void stop();
  };
  return {
    isAlone,
    get tenants() {
      return tenants.size;
    },
    has: (functionName) => [...tenants.values()].some(({ name }) => name === functionName),
    open(data, tenant) {
      const { port1: port, port2 } = new MessageChannel();
      tenants.set(tenant, { name: data.functionName, port });
      const message: OpenMessage = { data, port: port2 };
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
  /** Where one more instance of a function goes: beside the others, and beside another of its own only where all threads have one. */
  next(functionName: string): FunctionThread;
  /** A thread of its own. */
  own(): FunctionThread;
  stop(): Promise<void>;
}

/**
 * The threads that all functions share. A thread with nothing in it is 20 MB and a function in it some 9, so that a stack at rest has one
 * of them; what is busy gets others.
 * @param cache folder for compiled code. @param most threads that there are at a time.
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
      const shared = [...threads].filter((thread) => !thread.isAlone);
      const free = shared.find((thread) => !thread.has(functionName));
      if (free) return free;
      if (shared.length < most) return start(false);
      return shared.reduce((least, each) => (each.tenants < least.tenants ? each : least));
    },
    own: () => start(true),
    async stop() {
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}
