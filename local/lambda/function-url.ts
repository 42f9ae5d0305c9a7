import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http/listen.ts';
import { createProxyFunctionEvent, readGatewayRequest } from '../http-api/proxy-event.ts';
import { createResourcePropertyReader } from '../resource-properties.ts';
import type { LambdaHost, ResolvedResource, ResponseSink } from '../shared-types.ts';

/** Largest event of Lambda in bytes; the body is escaped in it. */
const MAX_BODY_BYTES = 6 * 1_048_576;

interface FunctionUrlOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  onError(message: string): void;
}

/**
 * Passes the streamed response on, at the pace of the client. A client that disconnects does not stop the
 * function.
 */
function sinkOf(response: ServerResponse): ResponseSink {
  return {
    head: (status, headers) => {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    async chunk(bytes) {
      if (response.destroyed || response.write(bytes)) return;
      const left = new AbortController();
      await Promise.race([
        once(response, 'drain', { signal: left.signal }).catch(() => {}),
        once(response, 'close', { signal: left.signal }).catch(() => {}),
      ]);
      left.abort();
    },
  };
}

/**
 * Creates the endpoint of the template's one function with a URL. @throws Error if there are several, because
 * each would need an address.
 */
export function createFunctionUrlHandler({
  resources,
  lambda,
  onError,
}: FunctionUrlOptions): RequestListener {
  const urls = resources.filter(({ type }) => type === 'AWS::Lambda::Url').map(createResourcePropertyReader);
  const [url, ...others] = urls;
  if (others.length > 0) throw new Error(`${others[0]?.where}: only one function may have a URL`);
  url?.only('TargetFunctionArn', 'AuthType', 'InvokeMode');
  if (url && (url.text('AuthType') !== 'NONE' || url.text('InvokeMode', 'BUFFERED') !== 'RESPONSE_STREAM'))
    throw new Error(`${url.where}: only a URL without authorisation that streams is known`);
  const target = url?.text('TargetFunctionArn') ?? null;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming, MAX_BODY_BYTES);
    if (target === null) return sendJson(response, 404, { Message: null });
    if (body === null) return sendJson(response, 413, { Message: 'Request Entity Too Large' });
    const route = {
      routeKey: '$default',
      method: 'ANY',
      segments: [],
      functionName: target,
      timeoutMs: 0,
      authorizer: null,
    };
    const event = createProxyFunctionEvent(
      readGatewayRequest(incoming, new Date()),
      { route, pathParameters: {} },
      'url',
      body,
      null,
    );
    const { error } = await lambda.invoke(target, event, sinkOf(response));
    if (error) onError(`${target}: ${error.errorType}: ${error.errorMessage}`);
    if (error && response.headersSent) response.destroy();
    else if (error) sendJson(response, 502, { Message: 'Internal Server Error' });
    else response.end();
  }

  return (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      onError(`${target}: ${String(error)}`);
      response.destroy();
    });
  };
}
