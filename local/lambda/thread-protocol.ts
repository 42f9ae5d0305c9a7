/** Messages between instances of functions and the threads that they run in. Payloads are JSON texts, as in Lambda. */
import type { MessagePort } from 'node:worker_threads';

export interface FunctionData {
  readonly directory: string;
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** The whole environment of the function. */
  readonly env: Readonly<Record<string, string>>;
}

/** To a thread: one more instance, which speaks over a port of its own. */
export interface OpenMessage {
  readonly data: FunctionData;
  readonly port: MessagePort;
}

export interface InvokeMessage {
  readonly kind: 'invoke';
  readonly requestId: string;
  readonly event: string;
  /** Milliseconds since 1970 at which the invocation is ended. */
  readonly deadline: number;
}

/** `room`: there is room for more of the answer that is streamed. */
export type InstanceMessage = InvokeMessage | { readonly kind: 'room' };

export interface InvokeError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'load-failed'; readonly error: InvokeError }
  | { readonly kind: 'log'; readonly line: string }
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: InvokeError };

/** What Lambda answers for a thrown value. */
export function describeError(thrown: unknown): InvokeError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown) };
  const trace = thrown.stack?.split('\n') ?? [];
  return { errorType: thrown.name, errorMessage: thrown.message, trace };
}
