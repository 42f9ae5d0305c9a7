/** Messages between a function's pool and the worker threads that run it. Payloads are JSON texts, as in Lambda. */

export interface WorkerData {
  readonly directory: string;
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
}

/** From the pool: there is room for more of the answer that is streamed. */
export interface RoomMessage {
  readonly kind: 'room';
}

export interface InvokeMessage {
  readonly kind: 'invoke';
  readonly requestId: string;
  readonly event: string;
  /** Milliseconds since 1970 at which the invocation is ended. */
  readonly deadline: number;
}

export interface InvokeError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'load-failed'; readonly error: InvokeError }
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
