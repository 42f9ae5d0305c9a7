import '../support/function-env.ts';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { handler as authorizer } from '../../functions/api/authorizer.ts';
import { handler as read } from '../../functions/api/read-api.ts';
import type { ApiGatewayEvent } from '../../functions/api/route-request.ts';
import { handler as work } from '../../functions/api/work-api.ts';
import { handler as submit } from '../../functions/api/write-api.ts';
import { API_REFUSALS, ProblemDetails } from '../../shared/api/problem.ts';
import { ROUTES, type RouteDefinition } from '../../shared/api/routes.ts';
import { mintLaunchToken, mintOperatorToken } from '../../shared/contract/access/tokens.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../shared/contract/resource-names.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { attempt, launch as buildLaunch, task } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
beforeEach(() => db.reset());

type Identity = { caller: string; principal: string; role?: string; task_id: string; attempt: number };
const OPERATOR: Identity = {
  caller: 'operator',
  principal: 'ann',
  role: 'admin',
  task_id: '',
  attempt: 0,
};
const agentOf = (task_id: string): Identity => ({
  caller: 'agent',
  principal: `agent of ${task_id}/1`,
  task_id,
  attempt: 1,
});

function event(
  routeKey: string,
  fields: {
    body?: unknown;
    raw?: string;
    params?: Record<string, string>;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    identity?: Identity | null;
  } = {},
): ApiGatewayEvent {
  const made = {
    version: '2.0',
    routeKey,
    rawPath: '/',
    rawQueryString: '',
    headers: fields.headers ?? {},
    pathParameters: fields.params,
    queryStringParameters: fields.query,
    requestContext: {
      requestId: 'req-1',
      ...(fields.identity === null ? {} : { authorizer: { lambda: fields.identity ?? OPERATOR } }),
    },
    body: fields.raw ?? (fields.body === undefined ? undefined : JSON.stringify(fields.body)),
    isBase64Encoded: false,
  };
  return made as unknown as ApiGatewayEvent;
}
const call = (handler: typeof submit, of: ApiGatewayEvent): Promise<APIGatewayProxyStructuredResultV2> =>
  handler(of, {} as Context) as Promise<APIGatewayProxyStructuredResultV2>;
const problem = (answer: APIGatewayProxyStructuredResultV2): ProblemDetails =>
  ProblemDetails.parse(JSON.parse(answer.body ?? '{}'));
const VALID = { title: 'Fix', repository: 'https://example.test/r.git' };
const CONFLICT = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });

/** Listings in pages, and what the table answers them. */
const PAGED = Object.values(ROUTES as Record<string, RouteDefinition>)
  .filter((route) => route.query instanceof z.ZodObject && 'cursor' in route.query.shape)
  .map(({ method, path }) => `${method} ${path}`);

describe('a listing in pages', () => {
  const row = {
    id: 'T1',
    gs_created: '2026-11-20#T1',
    status: 'in_review',
    hold: { reasons: [], since: '' },
  };
  const more = { pk: 'x', sk: 'the last', gs_created: '2026-11-20#T1' };
  const page = (routeKey: string, query: Record<string, string>) =>
    call(read, event(routeKey, { query: { limit: '1', ...query } }));
  const cursorOf = async (routeKey: string): Promise<string> => {
    db.on(QueryCommand).resolves({
      Items: routeKey === 'GET /dead-letters' ? [] : [row],
      LastEvaluatedKey: more,
    });
    const answer = await page(routeKey, {});
    expect(answer.statusCode).toBe(200);
    return JSON.parse(answer.body ?? '{}').next_cursor;
  };
  beforeEach(() => {
    db.on(GetCommand).resolves({});
    db.on(BatchGetCommand).resolves({});
  });

  it.each(PAGED)('%s goes on behind the last of the page before', async (routeKey) => {
    const cursor = await cursorOf(routeKey);
    db.resetHistory();
    expect((await page(routeKey, { cursor })).statusCode).toBe(200);
    const [asked] = db.commandCalls(QueryCommand);
    const { ExclusiveStartKey: start, ExpressionAttributeValues: values } = asked?.args[0].input ?? {};
    expect(JSON.stringify([start, values])).toMatch(/the last|2026-11-20#T1/);
  });

  it.each(PAGED)('%s refuses a cursor that it has not given out, and names the field', async (routeKey) => {
    const own = await cursorOf(routeKey);
    const strange = ['bm90aGluZw', own.slice(4), 'x'.repeat(1_900)];
    for (const other of PAGED.filter((each) => each !== routeKey)) strange.push(await cursorOf(other));
    for (const cursor of strange) {
      const answer = await page(routeKey, { cursor });
      expect([cursor, answer.statusCode]).toEqual([cursor, 400]);
      expect(problem(answer)).toMatchObject({ code: 'bad_cursor', errors: [{ pointer: '?cursor' }] });
    }
    expect(problem(await page(routeKey, { cursor: '%' }))).toMatchObject({
      status: 422,
      errors: [{ pointer: '?cursor' }],
    });
  });

  it('has no cursor of one filter taken for another', async () => {
    const cursor = await cursorOf('GET /dead-letters');
    expect(problem(await page('GET /dead-letters', { status: 'pending', cursor })).code).toBe('bad_cursor');
  });
});

describe('POST /tasks', () => {
  it('does one conditional write and answers 201 without an ETag, which would be stale at once', async () => {
    db.on(PutCommand).resolves({});
    const answer = await call(submit, event('POST /tasks', { body: VALID }));
    expect(answer.statusCode).toBe(201);
    expect(answer.headers?.['etag']).toBeUndefined();
    expect(db.calls()).toHaveLength(1);
    expect(db.commandCalls(PutCommand)[0]?.args[0].input.ConditionExpression).toContain(
      'attribute_not_exists',
    );
  });

  it('answers a replay with 200 and says so', async () => {
    db.on(PutCommand).resolvesOnce({}).rejects(CONFLICT);
    const first = await call(
      submit,
      event('POST /tasks', { body: VALID, headers: { 'idempotency-key': 'k' } }),
    );
    const made = db.commandCalls(PutCommand)[0]?.args[0].input.Item ?? {};
    db.on(GetCommand).resolves({ Item: made });
    const again = await call(
      submit,
      event('POST /tasks', { body: VALID, headers: { 'idempotency-key': 'k' } }),
    );
    expect([first.statusCode, again.statusCode, again.headers?.['idempotent-replay']]).toEqual([
      201,
      200,
      'true',
    ]);
    const other = await call(
      submit,
      event('POST /tasks', { body: { ...VALID, title: 'Other' }, headers: { 'idempotency-key': 'k' } }),
    );
    expect(problem(other).code).toBe('idempotency_mismatch');
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', { ...VALID, colour: 'red' }, '/colour'],
    ['an unknown enum value', { ...VALID, scope: 'huge' }, '/scope'],
    ['a priority out of range', { ...VALID, priority: 0 }, '/priority'],
    ['an empty title', { ...VALID, title: '  ' }, '/title'],
    ['no repository', { title: 'Fix' }, '/repository'],
    ['a repository that is no URL', { ...VALID, repository: 'shop' }, '/repository'],
    ['credentials in the URL', { ...VALID, repository: 'https://user:pw@example.test/r.git' }, '/repository'],
    ['a ref that git would take for an option', { ...VALID, base_ref: '--upload-pack=x' }, '/base_ref'],
    [
      'a signal path that climbs out',
      { ...VALID, completion_signals: [{ type: 'path_exists', path: '../etc/passwd' }] },
      '/completion_signals/0/path',
    ],
    [
      'an absolute signal path',
      { ...VALID, completion_signals: [{ type: 'path_exists', path: '/etc/passwd' }] },
      '/completion_signals/0/path',
    ],
    [
      'a compact signal that climbs out',
      { ...VALID, completion_signals: [{ type: 'path_exists', value: '..' }] },
      '/completion_signals/0/path',
    ],
    [
      'a bad glob',
      { ...VALID, completion_signals: [{ type: 'glob_exists', pattern: 'src/[a' }] },
      '/completion_signals/0/pattern',
    ],
    [
      'a bad regex',
      { ...VALID, completion_signals: [{ type: 'file_contains', path: 'a', regex: '(' }] },
      '/completion_signals/0/regex',
    ],
    [
      'a regex that needs backtracking',
      { ...VALID, completion_signals: [{ type: 'file_contains', path: 'a', regex: '(a)\\1' }] },
      '/completion_signals/0/regex',
    ],
    [
      'an unknown signal',
      { ...VALID, completion_signals: [{ type: 'mood_is_good', value: 'http://x' }] },
      '/completion_signals/0/type',
    ],
    [
      'a signal without its needle',
      { ...VALID, completion_signals: [{ type: 'file_contains', path: 'a' }] },
      '/completion_signals/0/contains',
    ],
    ['a file listed twice', { ...VALID, files: ['a', 'a'] }, '/files/1'],
    ['an unknown key of the budget', { ...VALID, budget: { max_tries: 2 } }, '/budget/max_tries'],
    ['a list', [], '/'],
  ])('refuses %s, naming the field, and writes nothing', async (_name, body, pointer) => {
    const answer = await call(submit, event('POST /tasks', { body }));
    expect(answer.statusCode).toBe(422);
    expect(answer.headers?.['content-type']).toBe('application/problem+json');
    expect(problem(answer).errors?.map((error) => error.pointer || '/')).toContain(pointer);
    expect(db.calls()).toHaveLength(0);
  });

  it('refuses what is not JSON and what is over 1 MiB', async () => {
    expect(problem(await call(submit, event('POST /tasks', { raw: '{"title": ' }))).code).toBe(
      'body_not_json',
    );
    expect(
      problem(
        await call(
          submit,
          event('POST /tasks', {
            raw: JSON.stringify({ ...VALID, description: 'x'.repeat(MAX_REQUEST_BODY_BYTES) }),
          }),
        ),
      ).code,
    ).toBe('body_too_large');
    expect(db.calls()).toHaveLength(0);
  });

  it('answers any JSON with a task or a problem, never with an internal error', async () => {
    db.on(PutCommand).resolves({});
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              title: fc.jsonValue(),
              repository: fc.constant(VALID.repository),
              completion_signals: fc.array(fc.jsonValue(), { maxLength: 3 }),
              files: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        async (body) => {
          const answer = await call(submit, event('POST /tasks', { body }));
          expect([201, 400, 422]).toContain(answer.statusCode);
          if (answer.statusCode !== 201) expect(problem(answer).errors?.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('who may call', () => {
  it('refuses strangers and tokens of another kind with a problem, before looking at anything else', async () => {
    const stranger = await call(submit, event('POST /tasks', { raw: 'garbage', identity: null }));
    expect([stranger.statusCode, problem(stranger).code, stranger.headers?.['www-authenticate']]).toEqual([
      401,
      'unauthenticated',
      'Bearer',
    ]);
    expect(
      problem(await call(submit, event('POST /tasks', { body: VALID, identity: agentOf('T1') }))).code,
    ).toBe('forbidden');
    expect(
      problem(await call(work, event('POST /tasks/{id}/heartbeat', { params: { id: 'T1' } }))).code,
    ).toBe('forbidden');
    expect(db.calls()).toHaveLength(0);
  });

  it("refuses another task's token", async () => {
    const answer = await call(
      work,
      event('POST /tasks/{id}/heartbeat', { params: { id: 'T2' }, identity: agentOf('T1') }),
    );
    expect(problem(answer)).toMatchObject({ code: 'forbidden', errors: [{ pointer: '{id}' }] });
  });

  it('lets anyone ask for the health', async () => {
    expect((await call(read, event('GET /health', { identity: null }))).statusCode).toBe(200);
  });

  it('finds nothing where there is no route', async () => {
    expect(problem(await call(read, event('GET /nowhere'))).code).toBe('not_found');
  });
});

describe('the authorizer', () => {
  const NOBODY = { isAuthorized: false };
  /** The identity of who is let in; all of the answer of who is not. */
  const identify = async (authorization?: string) => {
    const answer = await authorizer({
      headers: authorization === undefined ? {} : { authorization },
    } as never);
    return 'context' in answer ? answer.context : answer;
  };

  it('knows an operator by the hash of the token', async () => {
    const token = mintOperatorToken();
    db.on(GetCommand, { Key: { pk: `token#${sha256(token)}`, sk: 'token' } }).resolves({
      Item: { name: 'ann', role: 'admin' },
    });
    expect(await identify(`Bearer ${token}`)).toMatchObject({
      caller: 'operator',
      principal: 'ann',
      role: 'admin',
      repositories: '',
    });
    db.reset();
    db.on(GetCommand).resolves({});
    expect(await identify(`Bearer ${mintOperatorToken()}`)).toEqual(NOBODY);
  });

  it('knows a box by the hash on its attempt, and by no other', async () => {
    const token = mintLaunchToken('agent', 'T1', 1);
    const launch = {
      number: 1,
      token_sha256: sha256(token),
      model_token_sha256: null,
      assignment_key: 'k',
      lost: false,
      launched_at: '2026-11-20T10:00:00.000Z',
    };
    db.on(GetCommand).resolves({ Item: taskToItem(task({ attempts: [attempt({ agent: launch })] })) });
    expect(await identify(`Bearer ${token}`)).toEqual({
      caller: 'agent',
      role: '',
      repositories: '',
      principal: 'agent of T1/1',
      task_id: 'T1',
      attempt: 1,
      launch: 1,
      ends_at: 0,
    });
    expect(await identify(`Bearer ${mintLaunchToken('agent', 'T1', 1)}`)).toEqual(NOBODY);
    expect(await identify(`Bearer ${token.replace('assay_agent_', 'assay_gates_')}`)).toEqual(NOBODY);
    expect(await identify(`Bearer ${token.replace('.1.', '.2.')}`)).toEqual(NOBODY);
  });

  it.each(['gates', 'challenger', 'deliver'] as const)(
    'knows a %s container only by a launch that the dispatcher has recorded, whatever the task item says',
    async (kind) => {
      const token = mintLaunchToken(kind, 'T1', 1);
      const launch = buildLaunch({ token_sha256: sha256(token) });
      const item = taskToItem(task({ attempts: [attempt({ [kind]: launch })] }));
      const recorded = (fields: object) => {
        db.reset();
        db.on(GetCommand).resolves({});
        db.on(GetCommand, { Key: { pk: 'task#T1', sk: 'task' } }).resolves({ Item: item });
        db.on(GetCommand, { Key: { pk: 'launch#T1', sk: `1#${kind}#${launch.token_sha256}` } }).resolves({
          Item: { number: launch.number, assignment_key: launch.assignment_key, ...fields },
        });
        return identify(`Bearer ${token}`);
      };
      expect(await recorded({})).toMatchObject({ caller: kind, launch: 1 });
      expect(await recorded({ number: 2 })).toEqual(NOBODY);
      expect(await recorded({ assignment_key: 'artifacts/T1/1/patch.diff' })).toEqual(NOBODY);
      db.reset();
      db.on(GetCommand).resolves({});
      db.on(GetCommand, { Key: { pk: 'task#T1', sk: 'task' } }).resolves({ Item: item });
      expect(await identify(`Bearer ${token}`)).toEqual(NOBODY);
    },
  );

  it('asks consistently, because its answer is kept: a token that was made just now is known', async () => {
    db.on(GetCommand).resolves({});
    await identify(`Bearer ${mintOperatorToken()}`);
    await identify(`Bearer ${mintLaunchToken('agent', 'T1', 1)}`);
    expect(db.commandCalls(GetCommand).map((each) => each.args[0].input.ConsistentRead)).toEqual([
      true,
      true,
    ]);
  });

  it('says when the token ends, and nothing is done for it from then on, however long its answer is kept', async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    db.on(GetCommand).resolves({ Item: { name: 'ann', role: 'admin', expires_at: seconds + 60 } });
    const identity = await identify(`Bearer ${mintOperatorToken()}`);
    expect(identity).toMatchObject({ ends_at: seconds + 60 });
    db.reset();
    const over = { ...(identity as Identity), ends_at: seconds };
    const answer = await call(submit, event('POST /tasks', { body: VALID, identity: over }));
    expect(problem(answer).code).toBe('unauthenticated');
    expect(db.calls()).toHaveLength(0);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Basic abc',
    'Bearer nonsense',
    'Bearer assay_op_short',
    `Bearer ${'x'.repeat(10_000)}`,
  ])('takes %s for nobody, without asking the table', async (header) => {
    expect(await identify(header)).toEqual(NOBODY);
    expect(db.calls()).toHaveLength(0);
  });
});

describe('reading', () => {
  it('answers 304 to a matching ETag, and hides hashes and tokens', async () => {
    const launch = {
      number: 1,
      token_sha256: 'secret-hash',
      model_token_sha256: null,
      assignment_key: 'secret-key',
      lost: false,
      launched_at: '2026-11-20T10:00:00.000Z',
    };
    db.on(GetCommand).resolves({ Item: taskToItem(task({ attempts: [attempt({ agent: launch })] })) });
    const answer = await call(read, event('GET /tasks/{id}/attempts', { params: { id: 'T1' } }));
    expect(answer.body).not.toContain('secret');
    const seen = await call(
      read,
      event('GET /tasks/{id}', { params: { id: 'T1' }, headers: { 'if-none-match': '"1"' } }),
    );
    expect(seen.statusCode).toBe(304);
  });

  it.each([
    ['GET /tasks/{id}', { id: 'missing' }, {}, 'not_found'],
    ['GET /tasks/{id}', { id: '../x' }, {}, 'not_found'],
    ['GET /tasks', {}, { limit: '0' }, 'invalid'],
    ['GET /tasks', {}, { status: 'lost' }, 'invalid'],
    ['GET /tasks', {}, { colour: 'red' }, 'invalid'],
  ])('refuses %s with %j %j', async (route, params, query, code) => {
    db.on(GetCommand).resolves({});
    expect(problem(await call(read, event(route, { params, query }))).code).toBe(code);
  });

  it('tells nothing about a fault but the request id', async () => {
    db.on(GetCommand).rejects(new Error('the secret inside'));
    const answer = await call(read, event('GET /tasks/{id}', { params: { id: 'T1' } }));
    expect([answer.statusCode, problem(answer).code]).toEqual([500, 'internal']);
    expect(answer.body).not.toContain('secret');
    expect(answer.body).toContain('req-1');
  });
});

describe('If-Match', () => {
  it('refuses an old version and what is no version', async () => {
    db.on(GetCommand).resolves({ Item: taskToItem(task({ version: 4 })) });
    expect(
      (
        await call(
          submit,
          event('POST /tasks/{id}/cancel', {
            params: { id: 'T1' },
            body: {},
            headers: { 'if-match': '"3"' },
          }),
        )
      ).statusCode,
    ).toBe(412);
    expect(
      problem(
        await call(
          submit,
          event('POST /tasks/{id}/cancel', { params: { id: 'T1' }, body: {}, headers: { 'if-match': 'x' } }),
        ),
      ).errors?.[0]?.pointer,
    ).toBe('header:if-match');
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });
});

it('has a status between 400 and 599 for every problem', () => {
  for (const { status } of Object.values(API_REFUSALS)) expect(status).toBeGreaterThanOrEqual(400);
});
