import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { listenOnPreferredPort } from '../../../local/http/listen.ts';
import { createHttpApi } from '../../../local/http-api/index.ts';
import { createThrottle } from '../../../local/http-api/throttle.ts';
import type { UnknownRecord } from '../../../local/resource-properties.ts';
import type { InvokeResult, ResolvedResource } from '../../../local/shared-types.ts';
import {
  isAuthenticationLeftToHandler,
  type LoopbackListener,
} from '../../../shared/lib/loopback-listener.ts';
import { resource } from '../support/resources.ts';

const arn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
const uri = `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn('auth')}/invocations`;

const integration = (id: string, more: UnknownRecord = {}): ResolvedResource =>
  resource(id, 'AWS::ApiGatewayV2::Integration', {
    ApiId: 'Api',
    IntegrationType: 'AWS_PROXY',
    IntegrationUri: arn(id.toLowerCase()),
    PayloadFormatVersion: '2.0',
    ...more,
  });
const authorizer = (id: string, more: UnknownRecord = {}): ResolvedResource =>
  resource(id, 'AWS::ApiGatewayV2::Authorizer', {
    ApiId: 'Api',
    AuthorizerType: 'REQUEST',
    AuthorizerPayloadFormatVersion: '2.0',
    AuthorizerResultTtlInSeconds: 0,
    AuthorizerUri: uri,
    EnableSimpleResponses: true,
    IdentitySource: ['$request.header.Authorization'],
    ...more,
  });
const route = (RouteKey: string, target: string, authorizerId?: string): ResolvedResource =>
  resource(`Route ${RouteKey}`, 'AWS::ApiGatewayV2::Route', {
    ApiId: 'Api',
    RouteKey,
    Target: `integrations/${target}`,
    ...(authorizerId ? { AuthorizationType: 'CUSTOM', AuthorizerId: authorizerId } : {}),
  });

const RESOURCES = [
  resource('Api', 'AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' }),
  ...['Fixed', 'Parameter', 'Greedy', 'Other', 'Slow'].map((id) =>
    integration(id, id === 'Slow' ? { TimeoutInMillis: 50 } : {}),
  ),
  authorizer('Auth'),
  authorizer('Cached', { AuthorizerResultTtlInSeconds: 300 }),
  route('GET /tasks/next', 'Fixed'),
  route('GET /tasks/{id}', 'Parameter'),
  route('POST /tasks/{id}', 'Parameter'),
  route('ANY /files/{path+}', 'Greedy'),
  route('GET /slow', 'Slow'),
  route('GET /private/{id}', 'Parameter', 'Auth'),
  route('GET /cached', 'Fixed', 'Cached'),
];

let calls: { readonly name: string; readonly event: UnknownRecord }[];
let handlers: Record<string, (event: UnknownRecord) => unknown>;
let server: LoopbackListener;
let counters: ReturnType<typeof createOperationCounters>;
const errors: string[] = [];

const serve = (resources: readonly ResolvedResource[]): Promise<LoopbackListener> =>
  listenOnPreferredPort(
    { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler },
    createHttpApi({
      dataDir: tmpdir(),
      resources,
      lambda: {
        async invoke(arnOrName, payload): Promise<InvokeResult> {
          const name = arnOrName.split(':').at(-1) ?? '';
          calls.push({ name, event: payload as UnknownRecord });
          try {
            return {
              payload: (await handlers[name]?.(payload as UnknownRecord)) ?? { statusCode: 200, body: name },
            };
          } catch (error) {
            return { payload: null, error: { errorType: 'Error', errorMessage: String(error) } };
          }
        },
      },
      counters,
      onError: (message) => errors.push(message),
    }),
  );

beforeEach(async () => {
  calls = [];
  handlers = {};
  counters = createOperationCounters();
  server = await serve(RESOURCES);
});
afterEach(() => server.stop());

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(server.url + path, init);

describe('routes', () => {
  test.each([
    ['GET', '/tasks/next', 200, 'fixed'],
    ['GET', '/tasks/42', 200, 'parameter'],
    ['PUT', '/files/a/b', 200, 'greedy'],
    ['GET', '/files', 404, '{"message":"Not Found"}'],
    ['DELETE', '/tasks/42', 404, '{"message":"Not Found"}'],
    ['GET', '/tasks/', 404, '{"message":"Not Found"}'],
    ['GET', '/tasks/%E0%A4%A', 404, '{"message":"Not Found"}'],
  ])('%s %s answers %i %s', async (method, path, status, body) => {
    const answer = await get(path, { method });
    expect([answer.status, await answer.text()]).toEqual([status, body]);
    expect(answer.headers.get('apigw-requestid')).toMatch(/^[\w-]{16}$/);
  });

  test('of $default get what no other route takes', async () => {
    await server.stop();
    server = await serve([...RESOURCES, route('$default', 'Other')]);
    const answers = await Promise.all(['/unknown/path', '/', '/tasks/42'].map((path) => get(path)));
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([
      'other',
      'other',
      'parameter',
    ]);
    expect(calls.find(({ name }) => name === 'other')?.event['pathParameters']).toBeUndefined();
  });
});

describe('an event', () => {
  test('has the shape of payload format 2.0', async () => {
    await get('/tasks/a%2Fb%20c?x=1&y=2&x=3%2C4', {
      method: 'POST',
      body: '{"ü":1}',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Twice', 'one'],
        ['X-Twice', 'two'],
        ['User-Agent', 'test'],
      ],
    });
    const [event] = calls.map((call) => call.event);
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /tasks/{id}',
      rawPath: '/tasks/a%2Fb%20c',
      rawQueryString: 'x=1&y=2&x=3%2C4',
      headers: expect.objectContaining({
        'content-type': 'application/json',
        'x-twice': expect.stringMatching(/^one, ?two$/),
        host: new URL(server.url).host,
      }),
      queryStringParameters: { x: '1,3,4', y: '2' },
      pathParameters: { id: 'a/b c' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'Api',
        domainName: new URL(server.url).host,
        domainPrefix: 'Api',
        http: {
          method: 'POST',
          path: '/tasks/a%2Fb%20c',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'test',
        },
        requestId: expect.stringMatching(/^[\w-]{16}$/),
        routeKey: 'POST /tasks/{id}',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      body: '{"ü":1}',
      isBase64Encoded: false,
    });
  });

  test('has cookies apart, and no empty fields', async () => {
    await new Promise((resolve) => {
      const headers = { cookie: ['a=1; b=2', 'c=3'] };
      httpRequest(`${server.url}/tasks/next`, { headers: headers as never }, resolve).end();
    });
    const [event] = calls.map((call) => call.event);
    expect(event?.['cookies']).toEqual(['a=1', 'b=2', 'c=3']);
    expect(event?.['headers']).not.toHaveProperty('cookie');
    for (const name of ['body', 'queryStringParameters', 'pathParameters'])
      expect(event).not.toHaveProperty(name);
  });

  test.each([
    ['application/problem+json', false],
    ['text/plain; charset=utf-8', false],
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
  ])('carries a body of type %s as base64: %s', async (type, isBase64Encoded) => {
    await get('/tasks/1', { method: 'POST', body: 'hello', headers: { 'content-type': type } });
    const body = isBase64Encoded ? Buffer.from('hello').toString('base64') : 'hello';
    expect(calls[0]?.event).toMatchObject({ body, isBase64Encoded });
  });
});

describe('a response', () => {
  test('has the status, headers, cookies and body that the function returns', async () => {
    handlers['fixed'] = () => ({
      statusCode: 201,
      headers: { ETag: '"1"', 'content-type': 'application/problem+json', 'X-Number': 5 },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from('ü').toString('base64'),
      isBase64Encoded: true,
    });
    const answer = await get('/tasks/next');
    expect([answer.status, await answer.text()]).toEqual([201, 'ü']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      etag: '"1"',
      'content-type': 'application/problem+json',
      'x-number': '5',
    });
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test.each([
    [{ any: 'thing' }, '{"any":"thing"}'],
    ['text', 'text'],
  ])('without a status code is %j as JSON', async (payload, body) => {
    handlers['fixed'] = () => payload;
    const answer = await get('/tasks/next');
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  test('of 204 has no body', async () => {
    handlers['fixed'] = () => ({ statusCode: 204 });
    const answer = await get('/tasks/next');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([204, null]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['returns a status that is none', () => ({ statusCode: 'teapot' })],
    ['returns a body that is no text', () => ({ statusCode: 200, body: { a: 1 } })],
  ])('of a function that %s is 500', async (_what, handler) => {
    handlers['fixed'] = handler;
    const answer = await get('/tasks/next');
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test('of a function that takes longer than its integration may is 503', async () => {
    const gate = Promise.withResolvers<void>();
    handlers['slow'] = () => gate.promise;
    const answer = await get('/slow');
    expect([answer.status, await answer.text()]).toEqual([503, '{"message":"Service Unavailable"}']);
    gate.resolve();
  });

  test('to a body of more than 10 MB is 413, and the function is not called', async () => {
    const answer = await get('/tasks/1', { method: 'POST', body: Buffer.alloc(10 * 1_048_576 + 1) });
    expect([answer.status, await answer.text()]).toEqual([413, '{"message":"Request Entity Too Large"}']);
    expect(calls).toEqual([]);
    const largest = await get('/tasks/1', { method: 'POST', body: Buffer.alloc(10 * 1_048_576) });
    expect(largest.status).toBe(200);
  });
});

describe('a route with an authorizer', () => {
  const asked = (): readonly UnknownRecord[] =>
    calls.filter(({ name }) => name === 'auth').map(({ event }) => event);
  const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

  test('answers 401 to a request without a token, and asks nobody', async () => {
    const answer = await get('/private/1');
    expect([answer.status, await answer.text()]).toEqual([401, '{"message":"Unauthorized"}']);
    expect(calls).toEqual([]);
  });

  test('answers 403 when the authorizer does not allow it', async () => {
    handlers['auth'] = () => ({ isAuthorized: false });
    const answer = await get('/private/1', bearer('wrong'));
    expect([answer.status, await answer.text()]).toEqual([403, '{"message":"Forbidden"}']);
    expect(calls.map(({ name }) => name)).toEqual(['auth']);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('down'))],
    ['answers something else', () => ({ policyDocument: {} })],
  ])('answers 500 when the authorizer %s', async (_what, handler) => {
    handlers['auth'] = handler;
    const answer = await get('/private/1', bearer('x'));
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test('hands the request to the authorizer, and its context to the function', async () => {
    handlers['auth'] = () => ({ isAuthorized: true, context: { caller: 'operator', attempt: 3 } });
    expect((await get('/private/7?q=1', bearer('good'))).status).toBe(200);
    expect(asked()).toMatchObject([
      {
        version: '2.0',
        type: 'REQUEST',
        routeKey: 'GET /private/{id}',
        routeArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/$default/GET/private/7',
        identitySource: ['Bearer good'],
        rawQueryString: 'q=1',
        pathParameters: { id: '7' },
      },
    ]);
    const [served] = calls.filter(({ name }) => name === 'parameter').map(({ event }) => event);
    expect(served?.['requestContext']).toMatchObject({
      authorizer: { lambda: { caller: 'operator', attempt: 3 } },
    });
  });

  test('asks again for each request, unless its answers may be kept', async () => {
    handlers['auth'] = ({ identitySource }) => ({ isAuthorized: String(identitySource) === 'Bearer good' });
    for (let time = 0; time < 2; time += 1) await get('/private/1', bearer('good'));
    expect(asked()).toHaveLength(2);
    const statuses: number[] = [];
    for (const token of ['good', 'good', 'bad', 'bad'])
      statuses.push((await get('/cached', bearer(token))).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
    expect(asked()).toHaveLength(4);
  });
});

describe('a stage with limits', () => {
  const limited = (settings: UnknownRecord): ResolvedResource =>
    resource('Stage', 'AWS::ApiGatewayV2::Stage', {
      ApiId: 'Api',
      StageName: '$default',
      DefaultRouteSettings: { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 2 },
      RouteSettings: settings,
    });
  const statuses = async (url: string, paths: readonly string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const path of paths) found.push((await fetch(url + path)).status);
    return found;
  };

  test('answers 429 on a route that has had its share, and takes nothing from the others', async () => {
    const strict = await serve([
      ...RESOURCES,
      limited({ 'GET /tasks/{id}': { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 } }),
    ]);
    expect(await statuses(strict.url, ['/tasks/1', '/tasks/2'])).toEqual([200, 429]);
    expect(await statuses(strict.url, ['/tasks/next', '/tasks/next', '/tasks/next'])).toEqual([
      200, 200, 429,
    ]);
    const refused = await fetch(`${strict.url}/tasks/1`);
    expect(await refused.text()).toBe('{"message":"Too Many Requests"}');
    await strict.stop();
  });

  test('counts the requests of strangers, and does not ask who they are once there are too many', async () => {
    const strict = await serve([...RESOURCES, limited({})]);
    handlers['auth'] = () => ({ isAuthorized: false });
    const found: number[] = [];
    for (let time = 0; time < 3; time += 1)
      found.push((await fetch(`${strict.url}/private/1`, { headers: { authorization: 'Bearer x' } })).status);
    expect(found).toEqual([403, 403, 429]);
    expect(calls).toHaveLength(2);
    await strict.stop();
  });

  test.each([
    [1, 0],
    [3, 2],
  ])('a bucket of two is refilled with time: after %d s it takes %d more', (seconds, more) => {
    let now = 0;
    const mayPass = createThrottle(
      [limited({ a: { ThrottlingRateLimit: 0.7, ThrottlingBurstLimit: 2 } })],
      () => now,
    );
    expect([mayPass('a'), mayPass('a'), mayPass('a')]).toEqual([true, true, false]);
    now = seconds * 1_000;
    expect([mayPass('a'), mayPass('a'), mayPass('a')].filter(Boolean)).toHaveLength(more);
  });
});

test('every request is counted', async () => {
  await Promise.all([get('/tasks/next'), get('/nowhere')]);
  expect(counters.snapshot()['HTTP API']).toEqual({ Requests: 2 });
});

test.each([
  ['a route property', route('GET /x', 'Fixed'), { RequestParameters: {} }, 'RequestParameters'],
  ['a kind of authorization', route('GET /x', 'Fixed'), { AuthorizationType: 'AWS_IAM' }, 'AWS_IAM'],
  ['an identity source', authorizer('Auth'), { IdentitySource: ['$context.routeKey'] }, '$context.routeKey'],
  ['a kind of authorizer', authorizer('Auth'), { AuthorizerType: 'JWT' }, 'REQUEST'],
  ['a kind of integration', integration('Fixed'), { IntegrationType: 'HTTP_PROXY' }, 'AWS_PROXY'],
])('%s that is not known is refused by name', (_what, base, change, named) => {
  const changed = { ...base, properties: { ...base.properties, ...change } };
  const others = RESOURCES.filter(({ logicalId }) => logicalId !== base.logicalId);
  expect(() => serve([...others, changed])).toThrow(named);
});
