import '../support/function-env.ts';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiEvent } from '../../functions/api/request.ts';
import { handler as work } from '../../functions/api/work.ts';
import { Problem } from '../../shared/api/problem.ts';
import { toItem } from '../../shared/store/task-item.ts';
import { attempt, task } from '../support/builders.ts';

process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';

const db = mockClient(DynamoDBDocumentClient);
beforeEach(() => db.reset());

const has = (fields: Parameters<typeof task>[0] = {}) =>
  db.on(GetCommand).resolves({ Item: toItem(task({ attempts: [attempt()], ...fields })) });

async function post(caller: 'agent' | 'gates' | 'operator', route: string, body: unknown) {
  const event = {
    version: '2.0',
    routeKey: `POST /tasks/{id}/${route}`,
    rawPath: '/',
    rawQueryString: '',
    headers: {},
    pathParameters: { id: 'T1' },
    requestContext: {
      requestId: 'req-1',
      authorizer: { lambda: { caller, principal: caller, task_id: 'T1', attempt: 1 } },
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  } as unknown as ApiEvent;
  const answer = (await work(event, {} as Context)) as APIGatewayProxyStructuredResultV2;
  return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') };
}

const pathOf = (url: unknown): string => new URL(String(url)).pathname;

describe('an upload', () => {
  it.each([
    ['agent', 'patch', 'artifacts/T1/1/patch.diff'],
    ['agent', 'transcript', 'artifacts/T1/1/transcript.log'],
    ['gates', 'findings', 'evidence/T1/1/findings-1.sarif'],
    ['gates', 'tests', 'evidence/T1/1/tests-1.junit.xml'],
  ] as const)('by the %s of its %s goes to one place', async (caller, kind, key) => {
    has();
    const { status, body } = await post(caller, 'artifact', { kind });
    expect(status).toBe(200);
    expect(pathOf(body.url)).toContain(key);
  });

  it.each([
    ['agent', 'findings'],
    ['agent', 'tests'],
    ['gates', 'patch'],
    ['gates', 'transcript'],
  ] as const)('by the %s of %s is refused: it is the work of another box', async (caller, kind) => {
    has();
    const { status, body } = await post(caller, 'artifact', { kind });
    expect([status, Problem.parse(body).errors?.[0]?.pointer]).toEqual([403, '/kind']);
  });

  it('of evidence is for nobody: the API itself writes it', async () => {
    has();
    for (const caller of ['agent', 'gates'] as const)
      expect((await post(caller, 'artifact', { kind: 'evidence' })).status).toBe(422);
  });
});

describe('the memory', () => {
  const hash = 'a'.repeat(64);
  const place = async (repository: string) => {
    has({ repository });
    const { status, body } = await post('gates', 'memory', { kind: 'baselines', hash });
    expect(status).toBe(200);
    expect(pathOf(body.get)).toBe(pathOf(body.put));
    return pathOf(body.get);
  };

  it('has one place for a key, for all tasks of a repository', async () => {
    const one = await place('https://example.test/one.git');
    expect(one).toMatch(new RegExp(`memory/[0-9a-f]{64}/baselines/${hash}\\.json$`));
    expect(await place('https://example.test/one.git')).toBe(one);
  });

  it('has another place for another repository, which has its own word for the same commit', async () => {
    expect(await place('https://example.test/one.git')).not.toBe(await place('https://example.test/two.git'));
  });

  it.each([
    [{ kind: 'evidence', hash }, '/kind'],
    [{ kind: 'results', hash: '../../evidence/T1/1/evidence-1' }, '/hash'],
    [{ kind: 'results' }, '/hash'],
    [{ kind: 'results', hash, repository: 'x' }, ''],
  ])('refuses %j', async (body, pointer) => {
    has();
    const answer = await post('gates', 'memory', body);
    expect([answer.status, Problem.parse(answer.body).errors?.[0]?.pointer]).toEqual([
      422,
      expect.stringContaining(pointer),
    ]);
  });

  it('is not for agents and operators, and not for a box whose attempt is over', async () => {
    has();
    for (const caller of ['agent', 'operator'] as const)
      expect((await post(caller, 'memory', { kind: 'results', hash })).status).toBe(403);
    has({ attempts: [attempt({ outcome: 'failed' })] });
    expect((await post('gates', 'memory', { kind: 'results', hash })).status).toBe(409);
  });
});
