import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http/listen.ts';
import type { Counters, LambdaHost } from '../ports.ts';

const PATH = /^\/2015-03-31\/functions\/([^/?]+)\/invocations$/;

/** Lambda's own `Invoke`, as the SDK calls it, for functions that call functions; false for a request that is none. */
export const serveInvoke =
  (lambda: LambdaHost, counters: Counters) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const name = PATH.exec(request.url ?? '')?.[1];
    if (request.method !== 'POST' || name === undefined) return false;
    counters.add('lambda', 'Invoke');
    const text = (await readBody(request))?.toString('utf8') ?? '';
    const { payload, error } = await lambda.invoke(
      decodeURIComponent(name),
      text === '' ? null : JSON.parse(text),
    );
    if (error) response.setHeader('x-amz-function-error', 'Unhandled');
    sendJson(response, 200, error ?? payload ?? null);
    return true;
  };
