import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendStorageFull } from '../http/listen.ts';
import type { InvokeResult, LambdaHost, OperationCounters, ResolvedResource } from '../shared-types.ts';
import { MIN_FREE_BYTES, readFreeBytes } from '../storage.ts';
import { createProxyFunctionEvent, type GatewayRequest, readGatewayRequest } from './proxy-event.ts';
import { createRequestAuthorizer } from './request-authorizer.ts';
import { type ApiResponse, gatewayErrorResponse, toApiResponse } from './response.ts';
import { type ApiRoute, createRouter, readApiRoutes } from './routes.ts';
import { createThrottle } from './throttle.ts';

export interface HttpApiOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  readonly counters: OperationCounters;
  /** Folder of the state. Requests that write are refused while its disk is nearly full. */
  readonly dataDir: string;
  onError(message: string): void;
}

/** Largest request body of API Gateway, in bytes. */
const MAX_BODY_BYTES = 10 * 1_048_576;
/** Methods that change nothing. */
const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Creates the HTTP API of the template: its routes, authorizers and limits, and the answers of API Gateway
 * itself.
 */
export function createHttpApi(options: HttpApiOptions): RequestListener {
  const { resources, lambda, counters, dataDir, onError } = options;
  const api = resources.find(({ type }) => type === 'AWS::ApiGatewayV2::Api');
  const apiId = api?.logicalId ?? 'none';
  const route = createRouter(readApiRoutes(resources));
  const authorize = createRequestAuthorizer(lambda, apiId);
  const mayPass = createThrottle(resources);

  async function answer(request: GatewayRequest, incoming: IncomingMessage): Promise<ApiResponse> {
    const match = route(request.method, request.path);
    if (match === null) return refuse(incoming, 404);
    if (!mayPass(match.route.routeKey)) return refuse(incoming, 429);
    const authorization = await authorize(request, match);
    if (!authorization.allowed) return refuse(incoming, authorization.status);
    const body = await readBody(incoming, MAX_BODY_BYTES);
    if (body === null) return gatewayErrorResponse(413);
    const event = createProxyFunctionEvent(request, match, apiId, body, authorization.context);
    const result = await withLimit(match.route, lambda.invoke(match.route.functionName, event));
    if (result === 'timeout') return gatewayErrorResponse(503);
    if (result.error === undefined) return toApiResponse(result.payload);
    onError(`${match.route.routeKey}: ${result.error.errorType}: ${result.error.errorMessage}`);
    return gatewayErrorResponse(500);
  }

  return (incoming, response) => {
    counters.add('HTTP API', 'Requests');
    const request = readGatewayRequest(incoming, new Date());
    if (!READS.includes(request.method) && readFreeBytes(dataDir) < MIN_FREE_BYTES) {
      // The body is read, so that the client reads the answer.
      incoming.resume();
      return sendStorageFull(response, dataDir);
    }
    answer(request, incoming).then(
      (answered) => send(response, request, answered),
      (error: unknown) => {
        onError(`${request.method} ${request.path}: ${String(error)}`);
        send(response, request, gatewayErrorResponse(500));
      },
    );
  };
}

/** The body is read first, so that the client reads the answer. */
async function refuse(incoming: IncomingMessage, status: 401 | 403 | 404 | 429 | 500): Promise<ApiResponse> {
  await readBody(incoming, 0);
  return gatewayErrorResponse(status);
}

async function withLimit(
  route: ApiRoute,
  invocation: Promise<InvokeResult>,
): Promise<InvokeResult | 'timeout'> {
  const limit = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => limit.resolve('timeout'), route.timeoutMs);
  try {
    return await Promise.race([invocation, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function send(
  response: ServerResponse,
  request: GatewayRequest,
  { status, headers, body }: ApiResponse,
): void {
  // A stack that ends because its disk is full has answered already.
  if (response.headersSent) return;
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': body.length }),
    'apigw-requestid': request.id,
    date: request.at.toUTCString(),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
