import '../support/function-env.ts';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiGatewayEvent } from '../../functions/api/route-request.ts';
import { handler as upload } from '../../functions/api/upload-api.ts';
import { ProblemDetails } from '../../shared/api/problem.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { attempt, launch, task } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';

const db = mockAwsClient(DynamoDBDocumentClient);
beforeEach(() => db.reset());

const has = (fields: Parameters<typeof task>[0] = {}) =>
  db.on(GetCommand).resolves({
    Item: taskToItem(task({ attempts: [attempt({ agent: launch(), gates: launch() })], ...fields })),
  });

async function post(caller: 'agent' | 'gates' | 'challenger' | 'operator', route: string, body: unknown) {
  const event = {
    version: '2.0',
    routeKey: `POST /tasks/{id}/${route}`,
    rawPath: '/',
    rawQueryString: '',
    headers: {},
    pathParameters: { id: 'T1' },
    requestContext: {
      requestId: 'req-1',
      authorizer: { lambda: { caller, principal: caller, task_id: 'T1', attempt: 1, launch: 1 } },
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  } as unknown as ApiGatewayEvent;
  const answer = (await upload(event, {} as Context)) as APIGatewayProxyStructuredResultV2;
  return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') };
}

const SHA256 = 'ab'.repeat(32);
const content = { sha256: SHA256, bytes: 12 };
const pathOf = (url: unknown): string => new URL(String(url)).pathname;

describe('an upload', () => {
  it.each([
    ['agent', 'patch', `artifacts/T1/1/patch-${SHA256}.diff`],
    ['agent', 'transcript', `artifacts/T1/1/transcript-${SHA256}.log`],
    ['gates', 'findings', `artifacts/T1/1/findings-1-${SHA256}.sarif`],
    ['gates', 'tests', `artifacts/T1/1/tests-1-${SHA256}.junit.xml`],
  ] as const)('by the %s of its %s goes to one place', async (caller, kind, key) => {
    has();
    const { status, body } = await post(caller, 'artifact', { kind, ...content });
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
    const { status, body } = await post(caller, 'artifact', { kind, ...content });
    expect([status, ProblemDetails.parse(body).errors?.[0]?.pointer]).toEqual([403, '/kind']);
  });

  it('of evidence is for nobody: the API itself writes it', async () => {
    has();
    for (const caller of ['agent', 'gates'] as const)
      expect((await post(caller, 'artifact', { kind: 'evidence', ...content })).status).toBe(422);
  });
});

describe('leave to upload', () => {
  const signed = (url: unknown): string[] =>
    (new URL(String(url)).searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');

  it('is for exactly these bytes, and only while nothing lies there', async () => {
    has();
    const { body } = await post('agent', 'artifact', { kind: 'patch', ...content });
    expect(signed(body.url)).toEqual(['content-length', 'host', 'if-none-match', 'x-amz-checksum-sha256']);
    expect(body.headers).toEqual({
      'content-length': '12',
      'if-none-match': '*',
      'x-amz-checksum-sha256': Buffer.from(SHA256, 'hex').toString('base64'),
    });
  });

  it('is signed for its own digest: with another one the signature is another', async () => {
    has();
    const signature = async (fields: object) =>
      new URL((await post('agent', 'artifact', { kind: 'patch', ...content, ...fields })).body.url).search;
    expect(await signature({ bytes: 13 })).not.toBe(await signature({}));
  });

  it.each([
    [{ kind: 'patch' }, ['/sha256', '/bytes']],
    [{ kind: 'patch', sha256: 'x', bytes: 1 }, ['/sha256']],
    [{ kind: 'patch', sha256: SHA256, bytes: -1 }, ['/bytes']],
    [{ kind: 'patch', sha256: SHA256, bytes: 20 * 1_048_576 + 1 }, ['/bytes']],
  ])('is refused for %j, and the field is named', async (body, pointers) => {
    has();
    const answer = await post('agent', 'artifact', body);
    expect(answer.status).toBe(422);
    expect(ProblemDetails.parse(answer.body).errors?.map((each) => each.pointer)).toEqual(pointers);
  });

  it('is given so often and no more: an agent cannot fill the bucket', async () => {
    has();
    db.on(UpdateCommand).rejects(new ConditionalCheckFailedException({ message: 'no', $metadata: {} }));
    const { status, body } = await post('agent', 'artifact', { kind: 'patch', ...content });
    expect([status, body.code]).toEqual([409, 'conflict']);
  });
});

describe('the memory', () => {
  it('of what is written once takes no second writing, whoever holds the URL', async () => {
    has();
    for (const [kind, headers] of [
      ['results', 'host;if-none-match'],
      ['baselines', 'host;if-none-match'],
      ['history', 'host'],
    ]) {
      const { body } = await post('gates', 'memory', { kind, hash: 'a'.repeat(64) });
      expect(new URL(body.put).searchParams.get('X-Amz-SignedHeaders')).toBe(headers);
    }
  });

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
    expect([answer.status, ProblemDetails.parse(answer.body).errors?.[0]?.pointer]).toEqual([
      422,
      expect.stringContaining(pointer),
    ]);
  });

  it('is open to a challenger for counterexamples only, and not for the exam of its task', async () => {
    has({ attempts: [attempt({ challenger: launch() })] });
    const ask = async (kind: string) => (await post('challenger', 'memory', { kind, hash })).status;
    expect([await ask('counterexamples'), await ask('exams'), await ask('results')]).toEqual([200, 403, 403]);
  });

  it('is not for agents and operators, and not for a box whose attempt is over', async () => {
    has();
    for (const caller of ['agent', 'operator'] as const)
      expect((await post(caller, 'memory', { kind: 'results', hash })).status).toBe(403);
    has({ attempts: [attempt({ gates: launch(), outcome: 'failed' })] });
    expect((await post('gates', 'memory', { kind: 'results', hash })).status).toBe(409);
  });
});
