import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface FakeQueue {
  readonly url: string;
  /** The next message that was sent, waiting for it if need be. */
  next(): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** An SQS that takes messages and hands them to the test. */
export async function fakeQueue({ fail = false } = {}): Promise<FakeQueue> {
  const sent: Array<Record<string, unknown>> = [];
  const waiting: Array<(message: Record<string, unknown>) => void> = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const message = { ...((await json(request)) as object) } as Record<string, unknown>;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (fail) {
      response.statusCode = 400;
      response.end('{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"no such queue"}');
      return;
    }
    const MD5OfMessageBody = createHash('md5').update(String(message['MessageBody'])).digest('hex');
    response.end(JSON.stringify({ MessageId: `m-${++count}`, MD5OfMessageBody }));
    const reader = waiting.shift();
    if (reader) reader(message);
    else sent.push(message);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      const message = sent.shift();
      return message ? Promise.resolve(message) : new Promise((resolve) => waiting.push(resolve));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
