import type { RequestListener } from 'node:http';
import { type Listener, listen, listenOnPort } from './listen.ts';

/** A server whose address is known before it can answer: requests that come too early wait. */
export interface DeferredListener extends Listener {
  serve(handler: RequestListener): void;
}

/** Listens on exactly `port` when it is given, otherwise on `preferred` when that is free, otherwise on any. */
export async function listenDeferred(port: number | undefined, preferred: number): Promise<DeferredListener> {
  const ready = Promise.withResolvers<RequestListener>();
  const handler: RequestListener = (request, response) => {
    void ready.promise.then((serve) => serve(request, response));
  };
  const listener = port === undefined ? await listen(handler, preferred) : await listenOnPort(handler, port);
  return { ...listener, serve: (serve) => ready.resolve(serve) };
}
