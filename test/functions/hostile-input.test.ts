import '../support/function-env.ts';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { handler as read } from '../../functions/api/read-api.ts';
import type { ApiGatewayEvent } from '../../functions/api/route-request.ts';
import { handler as work } from '../../functions/api/work-api.ts';
import { handler as submit } from '../../functions/api/write-api.ts';
import { ProblemDetails } from '../../shared/api/problem.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../shared/contract/resource-names.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { attempt, task } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
beforeEach(() => {
  db.reset();
  db.on(GetCommand).resolves({});
  db.on(QueryCommand).resolves({ Items: [] });
});

const OPERATOR = { caller: 'operator', principal: 'ann', role: 'admin', task_id: '', attempt: 0 };
const AGENT = { caller: 'agent', principal: 'agent of T1/1', task_id: 'T1', attempt: 1 };
const event = (routeKey: string, raw: string | undefined, more: object = {}): ApiGatewayEvent =>
  ({
    version: '2.0',
    routeKey,
    rawPath: '/',
    headers: {},
    requestContext: {
      requestId: 'req-1',
      authorizer: { lambda: OPERATOR },
      http: { method: routeKey.split(' ')[0] },
    },
    body: raw,
    isBase64Encoded: false,
    ...more,
  }) as unknown as ApiGatewayEvent;
const call = (handler: typeof submit, of: ApiGatewayEvent): Promise<APIGatewayProxyStructuredResultV2> =>
  handler(of, {} as Context) as Promise<APIGatewayProxyStructuredResultV2>;
const problem = (answer: APIGatewayProxyStructuredResultV2): ProblemDetails =>
  ProblemDetails.parse(JSON.parse(answer.body ?? '{}'));
const VALID = '"title": "Fix", "repository": "https://example.test/r.git"';
const regexes = (all: readonly string[]): string =>
  JSON.stringify(all.map((regex) => ({ type: 'file_contains', path: 'a', regex })));

describe('a body that is made to cost', () => {
  const many = (count: number, make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(',');
  test.each<[string, string, RegExp]>([
    ['80,000 unknown fields', `{${VALID}, ${many(80_000, (index) => `"k${index}": 1`)}}`, /^$/],
    [
      '400 unknown fields of 2,000 characters',
      `{${VALID}, ${many(400, (index) => `"${'\\u0001'.repeat(300)}${index}": 1`)}}`,
      /./,
    ],
    [
      'unknown fields inside of unknown fields',
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      /^(\/a)+$/,
    ],
    ['lists in lists', `${'['.repeat(300_000)}${']'.repeat(300_000)}`, /^(\/0)+$/],
    ['a list of 500,000', `{${VALID}, "files": [${many(500_000, () => '1')}]}`, /^(\/files)?$/],
    ['a task of 90,000 wrong files', `{${VALID}, "files": [${many(90_000, () => '1')}]}`, /files/],
    ['a field that is called __proto__', `{${VALID}, "__proto__": {"id": "x"}}`, /^\/__proto__$/],
    ['half of a surrogate pair', `{${VALID}, "description": "\\ud800"}`, /^\/description$/],
    ['half of one in a key', `{${VALID}, "\\udc00": 1}`, /./],
    [
      '100 regular expressions that are large when compiled',
      `{${VALID}, "completion_signals": ${regexes(Array(100).fill('(x|y){1000}'.repeat(90)))}}`,
      /^\/completion_signals\/0\/regex$/,
    ],
    [
      'many that are large together',
      `{${VALID}, "completion_signals": ${regexes(Array(100).fill('.{900}'))}}`,
      /^\/completion_signals\/11\/regex$/,
    ],
    [
      'many that are long together',
      `{${VALID}, "completion_signals": ${regexes(Array(100).fill('(?i)[^\\pL\\pN]'.repeat(70)))}}`,
      /^\/completion_signals\/32\/regex$/,
    ],
    [
      'a budget that the table cannot hold',
      `{${VALID}, "budget": {"max_cost_usd": 1e-200}}`,
      /^\/budget\/max_cost_usd$/,
    ],
  ])('%s: is refused in few words, and changes nothing', async (_, raw, pointer) => {
    expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(MAX_REQUEST_BODY_BYTES + 300_000);
    const answer = await call(submit, event('POST /tasks', raw));
    expect([413, 422]).toContain(answer.statusCode);
    expect(Buffer.byteLength(answer.body ?? '')).toBeLessThan(65_536);
    if (answer.statusCode === 422) expect(problem(answer).errors?.[0]?.pointer).toMatch(pointer);
    expect(db.calls()).toHaveLength(0);
  });

  it('says how many fields were refused when it names some only', async () => {
    const raw = `{${VALID}, ${many(50, (index) => `"k${index}": 1`)}}`;
    const said = problem(await call(submit, event('POST /tasks', raw)));
    expect(said.errors).toHaveLength(20);
    expect(said.detail).toContain('20 of 50 refused fields are named');
  });

  it("refuses an agent's percentage that the table cannot hold, and keeps its progress as it was", async () => {
    const launch = {
      number: 1,
      token_sha256: 'x',
      model_token_sha256: null,
      assignment_key: '',
      lost: false,
      launched_at: '2026-11-20T10:00:00.000Z',
    };
    db.on(GetCommand).resolves({
      Item: taskToItem(task({ status: 'claimed', attempts: [attempt({ agent: launch })] })),
    });
    const answer = await call(
      work,
      event('POST /tasks/{id}/progress', '{"message": "m", "percent": 1e-200}', {
        pathParameters: { id: 'T1' },
        requestContext: { requestId: 'r', authorizer: { lambda: AGENT } },
      }),
    );
    expect([answer.statusCode, problem(answer).errors?.[0]?.pointer]).toEqual([422, '/percent']);
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });
});

describe('what has no route', () => {
  const unknown = (method: string, rawPath: string, more: object = {}) =>
    call(
      read,
      event('$default', undefined, {
        rawPath,
        requestContext: { requestId: 'r', authorizer: { lambda: OPERATOR }, http: { method } },
        ...more,
      }),
    );

  test.each([
    ['PUT', '/tasks', 'GET, POST'],
    ['DELETE', '/tasks/T1', 'GET'],
    ['POST', '/tasks/T1', 'GET'],
    ['GET', '/tasks/T1/cancel', 'POST'],
    ['PATCH', '/tasks/next/backend', 'GET, POST'],
    ['HEAD', '/health/', 'GET'],
    ['OPTIONS', '/tasks/batch', 'POST'],
  ])('%s %s is 405 and names the methods', async (method, path, allow) => {
    const answer = await unknown(method, path);
    expect([answer.statusCode, problem(answer).code, answer.headers?.['allow']]).toEqual([
      405,
      'method_not_allowed',
      allow,
    ]);
    expect(answer.headers?.['content-type']).toBe('application/problem+json');
  });

  it('says that a path of its own takes other methods, and looks for no task of that name', async () => {
    const answer = await call(
      read,
      event('GET /tasks/{id}', undefined, { rawPath: '/tasks/batch', pathParameters: { id: 'batch' } }),
    );
    expect([answer.statusCode, answer.headers?.['allow']]).toEqual([405, 'POST']);
    expect(db.commandCalls(GetCommand)).toHaveLength(0);
  });

  test.each([
    ['GET', '/'],
    ['GET', ''],
    ['GET', '/nope'],
    ['GET', '//status'],
    ['GET', '/status//'],
    ['GET', '/tasks//attempts'],
    ['GET', '/tasks/next/attempts/x'],
    ['GET', '/%zz'],
    ['POST', '/tasks/'],
    ['GET', `/${'a/'.repeat(5_000)}`],
  ])('%s %s is 404 with a problem document', async (method, path) => {
    const answer = await unknown(method, path);
    expect([answer.statusCode, problem(answer).code]).toEqual([404, 'not_found']);
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });

  it('reads with a slash at the end, as the seed writes `/status/`, and asks who calls all the same', async () => {
    expect(problem(await unknown('GET', '/tasks/T1/')).detail).toBe('there is no task T1');
    expect((await unknown('GET', '/health/')).statusCode).toBe(200);
    expect(
      (await unknown('GET', '/tasks/', { requestContext: { requestId: 'r', http: { method: 'GET' } } }))
        .statusCode,
    ).toBe(401);
  });
});
