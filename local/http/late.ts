import type { RequestListener } from 'node:http';
import { type Listener, listen, listenExactly } from './listen.ts';

/** A server whose address is known before it can answer: requests that come too early wait. */
export interface LateListener extends Listener {
  serve(handler: RequestListener): void;
}

/** Listens on exactly `port` when it is given, otherwise on `preferred` when that is free, otherwise on any. */
export async function listenLate(port: number | undefined, preferred: number): Promise<LateListener> {
  const ready = Promise.withResolvers<RequestListener>();
  const handler: RequestListener = (request, response) => {
    void ready.promise.then((serve) => serve(request, response));
  };
  const listener = port === undefined ? await listen(handler, preferred) : await listenExactly(handler, port);
  return { ...listener, serve: (serve) => ready.resolve(serve) };
}
