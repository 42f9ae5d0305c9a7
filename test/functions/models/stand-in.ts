import type { Writable } from 'node:stream';

type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<unknown>;
export interface Prelude {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
}

/** What was given to `HttpResponseStream.from`, by the stream that it was given for. */
export const preludes = new WeakMap<Writable, Prelude>();

/** The runtime's global, as far as handlers know it. Import this before any handler that streams. */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler): StreamingHandler => handler,
    HttpResponseStream: {
      from(stream: Writable, prelude: Prelude): Writable {
        preludes.set(stream, prelude);
        return stream;
      },
    },
  },
});
