/** The seams between the parts of the embedded default. Each part is made by a factory and knows the others only through these. */

/** Result of one Lambda invocation; `error` is set when the handler threw, timed out or could not be loaded. */
export interface InvokeResult {
  readonly payload: unknown;
  readonly error?: { readonly errorType: string; readonly errorMessage: string };
}

/** Takes what a function streams, as its URL hands it on. */
export interface ResponseSink {
  /** Comes first, once. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Resolves when there is room for more. Never rejects: a function does not learn that its client has gone. */
  chunk(bytes: Uint8Array): Promise<void>;
}

/** Runs the functions of the template. `name` is a function's physical name or ARN. */
export interface LambdaHost {
  /** With a sink, a function that streams its answer writes it there; the result says then how the invocation has ended. */
  invoke(name: string, payload: unknown, sink?: ResponseSink): Promise<InvokeResult>;
}

/** Counts what a real account would bill. `operation` is the API action, e.g. `PutItem`. */
export interface Counters {
  add(service: string, operation: string, amount?: number): void;
  snapshot(): Record<string, Record<string, number>>;
  reset(): void;
}

/** Faults that tests inject while the stack runs. */
export interface Faults {
  /** Every SQS message reaches the dispatcher twice. */
  duplicateMessages: boolean;
  /** Messages that are done with are not removed, as when that call is lost: they come again when their time is over, or after a start. */
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

/** A CloudFormation template after its intrinsic functions were resolved. */
export interface ResolvedResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/** Something that was started and can be stopped; `stop` waits until it has. */
export interface Stoppable {
  stop(): Promise<void>;
}
