/** Messages between the instances of functions and their threads. Payloads are JSON, as in Lambda. */
import type { MessagePort } from 'node:worker_threads';

export interface FunctionInstanceSettings {
  readonly directory: string;
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** The whole environment of the function. */
  readonly env: Readonly<Record<string, string>>;
}

/** To a thread: create an instance, which gets its messages over this port. */
export interface CreateInstanceMessage {
  readonly data: FunctionInstanceSettings;
  readonly port: MessagePort;
}

export interface InvokeMessage {
  readonly kind: 'invoke';
  readonly requestId: string;
  readonly event: string;
  /** Milliseconds since 1970 at which the invocation times out. */
  readonly deadline: number;
}

/** `resume`: the last chunk of a streamed response was passed on. */
export type MessageToInstance = InvokeMessage | { readonly kind: 'resume' };

export interface LambdaInvokeError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type MessageFromInstance =
  | { readonly kind: 'ready' }
  | { readonly kind: 'load-failed'; readonly error: LambdaInvokeError }
  | { readonly kind: 'log'; readonly line: string }
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: LambdaInvokeError };

/** Converts a thrown value into Lambda's error. */
export function convertToInvokeError(thrown: unknown): LambdaInvokeError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown) };
  const trace = thrown.stack?.split('\n') ?? [];
  return { errorType: thrown.name, errorMessage: thrown.message, trace };
}
