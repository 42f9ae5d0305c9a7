import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';

export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  readonly query: Readonly<Partial<Record<string, string>>>;
  readonly body: Buffer;
}

/** Reads a request to the function's URL, or to the REST API before it, which leaves names of headers as they came. */
export function parseModelRequest(event: LambdaFunctionURLEvent | APIGatewayProxyEvent): ModelRequest {
  const rest = 'httpMethod' in event;
  return {
    method: rest ? event.httpMethod : event.requestContext.http.method,
    path: rest ? event.path : event.rawPath,
    headers: rest
      ? Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]))
      : event.headers,
    query: event.queryStringParameters ?? {},
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** The token, where each vendor's clients put theirs. */
export const extractModelToken = ({ headers, query }: ModelRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ??
  headers['x-api-key'] ??
  headers['x-goog-api-key'] ??
  query['key'] ??
  null;

/** Headers that are handed on: what the protocols themselves know. A token, a cookie or another account's id never is. */
const HANDED_ON =
  /^(accept|content-type|user-agent|anthropic-(version|beta)|openai-beta|x-goog-api-client|x-stainless-[\w-]+)$/;

export const selectForwardedHeaders = ({ headers }: ModelRequest): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && HANDED_ON.test(name) ? [[name, value] as const] : [],
    ),
  ),
  // What passes is read on the side, and unpacking it would cost time.
  'accept-encoding': 'identity',
});

/** Headers of a provider's answer that are handed back. */
const HANDED_BACK =
  /^(content-type|cache-control|retry-after(-ms)?|x-should-retry|request-id|x-request-id|anthropic-ratelimit-[\w-]+|x-ratelimit-[\w-]+|openai-(model|processing-ms|version)|x-amzn-requestid)$/;

export const selectReturnedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => HANDED_BACK.test(name)));
