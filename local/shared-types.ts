/**
 * Interfaces between the parts of the embedded stack. Each part is created by a factory and knows the others
 * only through these.
 */

/** Result of one Lambda invocation. `error` is set if the handler threw, timed out or could not be loaded. */
export interface InvokeResult {
  readonly payload: unknown;
  readonly error?: { readonly errorType: string; readonly errorMessage: string };
}

/** Receives the streamed response of a function. */
export interface ResponseSink {
  /** Called once, before the first chunk. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Resolves when the next chunk can be sent. Never rejects: a function does not learn that its client has
   * disconnected.
   */
  chunk(bytes: Uint8Array): Promise<void>;
}

/** Runs the functions of the template. `name` is a function's physical name or ARN. */
export interface LambdaHost {
  /**
   * A function that streams writes its response to the sink; the result then has only the error, if there is
   * one.
   */
  invoke(name: string, payload: unknown, sink?: ResponseSink): Promise<InvokeResult>;
}

/** Counts what AWS would bill. `operation` is the API action, e.g. `PutItem`. */
export interface OperationCounters {
  add(service: string, operation: string, amount?: number): void;
  snapshot(): Record<string, Record<string, number>>;
  reset(): void;
}

/** Faults that tests inject into a running stack. */
export interface InjectedFaults {
  /** Every SQS message reaches the dispatcher twice. */
  duplicateMessages: boolean;
  /**
   * Handled messages are not deleted, as if that call were lost: they come again after the visibility
   * timeout, or a start.
   */
  lostRemovals: boolean;
  /** Every stream record is delivered twice. */
  duplicateStream: boolean;
  /** Stream batches and queue batches are delivered in shuffled order. */
  shuffle: boolean;
  /** RunTask answers with a capacity failure this many times before it works. */
  runTaskCapacityFailures: number;
}

/** An event, as EventBridge would deliver it. */
export interface BusEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Record<string, unknown>;
  readonly resources?: readonly string[];
}
export interface EventBus {
  /** Puts it on the default bus. */
  put(event: BusEvent): void;
}

/** A resource of the template, with its intrinsic functions resolved. */
export interface ResolvedResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/** A part that was started. `stop` resolves when it has stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}
