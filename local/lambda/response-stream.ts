import { Writable } from 'node:stream';
import { isRecord } from '../resource-properties.ts';
import type { MessageFromInstance } from './thread-protocol.ts';

type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => unknown;

/**
 * The part of Lambda's runtime that streams responses: the global `awslambda`, and the call of handlers that
 * it has marked.
 */
export interface LambdaResponseStreaming {
  readonly awslambda: Readonly<Record<string, unknown>>;
  isStreaming(handler: unknown): boolean;
  /** Runs a streaming handler. An instance has one invocation, and so one stream, at a time. */
  run(handler: unknown, event: unknown, context: unknown): Promise<null>;
  /** Continues after the last chunk was passed on. */
  resume(): void;
}

export function createLambdaResponseStreaming(
  post: (message: MessageFromInstance) => void,
): LambdaResponseStreaming {
  const streaming = new WeakSet<object>();
  let resume = (): void => {};
  const write = (chunk: Buffer, done: () => void): void => {
    if (chunk.length === 0) {
      done();
      return;
    }
    resume = done;
    // A copy: the handler's buffer may be part of a pool, which a transfer would empty.
    post({ kind: 'chunk', bytes: new Uint8Array(chunk) });
  };
  return {
    awslambda: {
      streamifyResponse(handler: StreamingHandler): StreamingHandler {
        streaming.add(handler);
        return handler;
      },
      HttpResponseStream: {
        from(stream: Writable, given: unknown): Writable {
          const prelude = isRecord(given) ? given : {};
          const headers = isRecord(prelude['headers']) ? prelude['headers'] : {};
          post({
            kind: 'head',
            status: Number(prelude['statusCode'] ?? 200),
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name, String(value)]),
            ),
          });
          return stream;
        },
      },
    },
    isStreaming: (handler) => typeof handler === 'function' && streaming.has(handler),
    async run(handler, event, context) {
      const stream = new Writable({
        decodeStrings: true,
        write: (chunk: Buffer, _encoding, done) => write(chunk, done),
      });
      await (handler as StreamingHandler)(event, stream, context);
      return null;
    },
    resume: () => resume(),
  };
}
