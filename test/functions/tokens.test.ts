import '../support/function-env.ts';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as evidence } from '../../functions/api/evidence-api.ts';
import { handler as read } from '../../functions/api/read-api.ts';
import type { ApiGatewayEvent } from '../../functions/api/route-request.ts';
import { handler as upload } from '../../functions/api/upload-api.ts';
import { handler as work } from '../../functions/api/work-api.ts';
import { UPLOAD_RULES } from '../../shared/api/report-schemas.ts';
import { ROUTES, type RouteDefinition, type RouteName, routeKey } from '../../shared/api/routes.ts';
import { LAUNCH_KINDS, type LaunchKind } from '../../shared/contract/launch-kind.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import * as build from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';
import { BODIES } from './fuzz/requests.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
beforeEach(() => db.reset());

const HANDLERS = { 'api-work': work, 'api-upload': upload, 'api-evidence': evidence, 'api-read': read };
const SHA = 'a'.repeat(40);

/** A body that a route takes of a box; what it says does not matter to whom the token belongs. */
function bodyOf(name: RouteName, kind: LaunchKind): unknown {
  const [body] = BODIES[name] ?? [];
  const [upload] = Object.entries(UPLOAD_RULES).find(([, { uploader }]) => uploader === kind) ?? [];
  if (name === 'memory' && kind === 'challenger') return { ...(body as object), kind: 'counterexamples' };
  return name === 'upload' ? { ...(body as object), kind: upload } : body;
}

const ALL = Object.entries(ROUTES) as [RouteName, RouteDefinition][];
const OF_BOXES = ALL.flatMap(([name, route]) =>
  LAUNCH_KINDS.filter((kind) => route.callers.includes(kind)).map((kind) => [kind, name] as const),
);

async function call(
  kind: LaunchKind,
  name: RouteName,
  task: Task,
  launch = 1,
  body: unknown = bodyOf(name, kind),
) {
  const route = ROUTES[name] as RouteDefinition;
  db.on(GetCommand).resolves({ Item: taskToItem(task) });
  db.on(PutCommand).resolves({});
  db.on(UpdateCommand).resolves({});
  const event = {
    version: '2.0',
    routeKey: routeKey(route),
    rawPath: '/',
    rawQueryString: '',
    headers: {},
    pathParameters: { id: 'T1' },
    requestContext: {
      requestId: 'r',
      authorizer: { lambda: { caller: kind, principal: kind, task_id: 'T1', attempt: 1, launch } },
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    isBase64Encoded: false,
  } as unknown as ApiGatewayEvent;
  const handler = HANDLERS[route.function as keyof typeof HANDLERS];
  const answer = (await handler(event, {} as Context)) as APIGatewayProxyStructuredResultV2;
  return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') };
}

const boxes = {
  agent: build.launch(),
  gates: build.launch(),
  challenger: build.launch(),
  deliver: build.launch(),
};
const OVER: readonly (readonly [string, Task, number])[] = [
  [
    'whose attempt has expired',
    build.task({ status: 'open', attempts: [build.attempt({ ...boxes, outcome: 'expired' })] }),
    1,
  ],
  [
    'whose attempt another has followed',
    build.task({
      status: 'in_progress',
      attempts: [build.attempt({ ...boxes, outcome: 'failed' }), build.attempt({ number: 2, ...boxes })],
    }),
    1,
  ],
  ['whose task was cancelled', build.task({ status: 'cancelled', attempts: [build.attempt(boxes)] }), 1],
  [
    'whose container was given up',
    build.taskInReview({
      report: null,
      agent: build.launch({ lost: true }),
      gates: build.launch({ lost: true }),
      challenger: build.launch({ lost: true }),
      deliver: build.launch({ lost: true }),
    }),
    1,
  ],
  [
    'whose container was replaced',
    build.taskInReview({
      report: null,
      agent: build.launch({ number: 2 }),
      gates: build.launch({ number: 2 }),
      challenger: build.launch({ number: 2 }),
      deliver: build.launch({ number: 2 }),
    }),
    1,
  ],
];

describe.each(OVER)('a token %s', (_what, task, launch) => {
  it.each(OF_BOXES)('of %s is refused by %s, and nothing is written', async (kind, name) => {
    const answer = await call(kind, name, task, launch);
    expect([answer.status, answer.body.code]).toEqual([409, 'stale_lease']);
    expect(db.commandCalls(PutCommand)).toEqual([]);
    expect(db.commandCalls(UpdateCommand)).toEqual([]);
  });
});

describe('a token of a box that has reported', () => {
  const reported = build.taskInReview(
    {
      ...boxes,
      challenge: build.challenge({ outcome: 'nothing_found' }),
      verification_failure: { failure_code: 'unknown', message: 'm', at: build.FIXED_NOW.toISOString() },
    },
    {
      delivery: {
        state: 'refused',
        base_commit: SHA,
        tree: SHA,
        branch: null,
        commit: null,
        reason: 'r',
        at: build.FIXED_NOW.toISOString(),
      },
    },
  );
  const reads = OF_BOXES.filter(([kind, name]) => ROUTES[name].method === 'GET' && kind !== 'agent');
  const acts = OF_BOXES.filter(([, name]) => ['heartbeat', 'progress', 'upload', 'memory'].includes(name));

  it.each([...reads, ...acts])('of %s is refused by %s', async (kind, name) => {
    expect((await call(kind, name, reported)).body.code).toBe('stale_lease');
  });

  it.each([
    ['gates', 'evidence', { failure_code: 'unknown', message: 'm' }],
    ['challenger', 'challenge', { failure_code: 'unknown', message: 'm' }],
    ['deliver', 'delivery', { step: 'refused', base_commit: build.fakeSha1('a'), tree: SHA, reason: 'r' }],
  ] as const)('of %s has the same answer again from %s, and writes nothing', async (kind, name, body) => {
    expect((await call(kind, name, reported, 1, body)).status).toBe(200);
    expect(db.commandCalls(PutCommand)).toEqual([]);
  });
});

describe('what a token of a box may read', () => {
  const two = build.task({
    status: 'in_progress',
    attempts: [
      build.attempt({ outcome: 'failed', report: build.report({ summary: 'of another' }) }),
      build.attempt({ number: 2, ...boxes }),
    ],
  });

  it('is its own attempt', async () => {
    db.on(GetCommand).resolves({ Item: taskToItem(two) });
    const event = {
      version: '2.0',
      routeKey: routeKey(ROUTES.listAttempts),
      headers: {},
      pathParameters: { id: 'T1' },
      requestContext: {
        requestId: 'r',
        authorizer: {
          lambda: { caller: 'agent', principal: 'agent', task_id: 'T1', attempt: 2, launch: 1 },
        },
      },
    } as unknown as ApiGatewayEvent;
    const answer = (await read(event, {} as Context)) as APIGatewayProxyStructuredResultV2;
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toContain('of another');
    expect(JSON.parse(answer.body ?? '{}').attempts).toHaveLength(1);
  });
});
