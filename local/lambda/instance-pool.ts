import type { InvokeResult, ResponseSink, Stoppable } from '../shared-types.ts';
import type { FunctionInstance } from './instance.ts';
import type { LambdaInvokeError } from './thread-protocol.ts';

/** Milliseconds after which a waiting invocation causes another cold start, which takes as long. */
const GROW_AFTER_MS = 100;
/**
 * Milliseconds after which an idle instance is ended, unless it is the last: it takes some 9 MB. Lambda does
 * the same, later.
 */
const IDLE_MS = 30_000;

export interface InstancePoolOptions {
  readonly maxInstances: number;
  /** Milliseconds; see IDLE_MS. */
  readonly idleMs?: number;
  /**
   * Starts an instance, which calls `onEnd` when it has ended. Rejects with an `LambdaInvokeError`, soon after
   * `stopped` is aborted.
   */
  start(onEnd: () => void, stopped: AbortSignal): Promise<FunctionInstance>;
}

/** The execution environments of one function. */
export interface InstancePool extends Stoppable {
  /** `onDone` gets the duration of the function in milliseconds, without the wait for an instance. */
  invoke(event: string, onDone: OnDone, sink?: ResponseSink): Promise<InvokeResult>;
}

type OnDone = (milliseconds: number, result: InvokeResult) => void;

interface Waiting {
  readonly event: string;
  readonly onDone: OnDone;
  readonly sink: ResponseSink | undefined;
  resolve(result: InvokeResult): void;
}

export function createInstancePool({
  maxInstances,
  start,
  idleMs = IDLE_MS,
}: InstancePoolOptions): InstancePool {
  /** Sorted by idle time, longest first. The last one is used next. */
  const idle: { readonly instance: FunctionInstance; readonly since: number }[] = [];
  const all = new Set<FunctionInstance>();
  const queue: Waiting[] = [];
  const growing = new Set<Promise<void>>();
  const stopping = new AbortController();
  let growth: NodeJS.Timeout | null = null;
  let trimming: NodeJS.Timeout | null = null;

  function dispatch(): void {
    while (idle.length > 0 && queue.length > 0) {
      const [instance, next] = [idle.pop()?.instance, queue.shift()];
      if (instance === undefined || next === undefined) return;
      const began = performance.now();
      void instance.invoke(next.event, next.sink).then((result) => {
        next.onDone(performance.now() - began, result);
        next.resolve(result);
        if (all.has(instance)) rest(instance);
        dispatch();
      });
    }
    if (queue.length > 0 && all.size + growing.size === 0) void grow();
    else if (queue.length > growing.size && all.size + growing.size < maxInstances) considerGrowing();
  }

  function rest(instance: FunctionInstance): void {
    idle.push({ instance, since: performance.now() });
    if (all.size > 1) trimming ??= setTimeout(trim, idleMs).unref();
  }

  function trim(): void {
    trimming = null;
    for (const { instance, since } of [...idle])
      if (all.size > 1 && performance.now() - since >= idleMs) {
        remove(instance);
        void instance.stop();
      }
    if (idle.length > 0 && all.size > 1) trimming = setTimeout(trim, idleMs).unref();
  }

  function considerGrowing(): void {
    if (growth !== null) return;
    const [oldest] = queue;
    growth = setTimeout(() => {
      growth = null;
      if (oldest !== undefined && queue.includes(oldest)) void grow();
      else dispatch();
    }, GROW_AFTER_MS).unref();
  }

  async function grow(): Promise<void> {
    if (stopping.signal.aborted) return;
    const one = add();
    growing.add(one);
    const error = await one.then(
      () => null,
      (failure: unknown) => failure as LambdaInvokeError,
    );
    growing.delete(one);
    // As in Lambda, an invocation that finds no environment gets the error of the one that did not start.
    if (error !== null && all.size === 0) fail(error);
    dispatch();
  }

  async function add(): Promise<void> {
    let instance: FunctionInstance | null = null;
    let ended = false;
    const onEnd = () => {
      ended = true;
      if (instance !== null) remove(instance);
    };
    instance = await start(onEnd, stopping.signal);
    if (stopping.signal.aborted) await instance.stop();
    else if (!ended) {
      all.add(instance);
      rest(instance);
    }
  }

  function remove(instance: FunctionInstance): void {
    all.delete(instance);
    const index = idle.findIndex((each) => each.instance === instance);
    if (index >= 0) idle.splice(index, 1);
    if (!stopping.signal.aborted) dispatch();
  }

  function fail(error: LambdaInvokeError): void {
    for (const { resolve } of queue.splice(0)) resolve({ payload: { ...error }, error });
  }

  return {
    invoke: (event, onDone, sink) =>
      new Promise((resolve) => {
        queue.push({ event, onDone, sink, resolve });
        dispatch();
      }),
    async stop() {
      stopping.abort();
      fail({ errorType: 'Runtime.Stopped', errorMessage: 'the embedded stack is stopping' });
      await Promise.all([...all].map((instance) => instance.stop()));
      await Promise.allSettled(growing);
    },
  };
}
