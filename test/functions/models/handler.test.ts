import '../../support/function-env.ts';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLambdaResponseStreaming } from '../../../local/lambda/response-stream.ts';
import type { MessageFromInstance } from '../../../local/lambda/thread-protocol.ts';
import { FUNCTION_ENV_NAMES } from '../../../shared/contract/resource-names.ts';
import { taskToItem } from '../../../shared/store/task-item.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts';
import { running, TOKEN } from './gateway.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
let models: ModelServer;
let posted: MessageFromInstance[] = [];
const streams = createLambdaResponseStreaming((message) => {
  posted.push(message);
  if (message.kind === 'chunk') queueMicrotask(() => streams.resume());
});
let handler: unknown;
beforeAll(async () => {
  models = await startModelServer();
  // What Lambda's own runtime has, and what the template gives this function.
  vi.stubGlobal('awslambda', streams.awslambda);
  process.env['GATEWAY_KEY'] = 'sk-key';
  process.env[FUNCTION_ENV_NAMES.modelProviders] = JSON.stringify({
    anthropic: { via: 'environment', variable: 'GATEWAY_KEY', url: models.url },
  });
  ({ handler } = await import('../../../functions/models/handler.ts'));
});
afterAll(() => models.stop());
beforeEach(() => {
  posted = [];
  db.reset();
  db.on(UpdateCommand).resolves({});
});

const ask = { model: 'claude-haiku-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };

/** Calls the function as its URL would. */
async function call(
  fields: { body?: unknown; headers?: object; path?: string; base64?: boolean; leftMs?: number } = {},
) {
  const text = JSON.stringify(fields.body ?? ask);
  await streams.run(
    handler,
    {
      rawPath: fields.path ?? '/v1/messages',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...fields.headers },
      requestContext: { http: { method: 'POST' } },
      body: fields.base64 ? Buffer.from(text).toString('base64') : text,
      isBase64Encoded: fields.base64 ?? false,
    },
    { getRemainingTimeInMillis: () => fields.leftMs ?? 60_000 },
  );
  const head = posted.find((message) => message.kind === 'head');
  const bytes = posted.flatMap((message) => (message.kind === 'chunk' ? [Buffer.from(message.bytes)] : []));
  return { status: head?.status, headers: head?.headers, text: Buffer.concat(bytes).toString('utf8') };
}
/** The task as it stands now, with a lease that the clock of this test cannot outlive. */
const present = () => {
  const of = running({ lease_until: Math.floor(Date.now() / 1_000) + 600 });
  db.on(GetCommand).resolves({ Item: taskToItem(of) });
};

describe('the function behind the URL', () => {
  it.each([false, true])(
    'streams an answer through and counts it, its body in base64: %s',
    async (base64) => {
      present();
      const { status, headers, text } = await call({ body: { ...ask, stream: true }, base64 });
      expect([status, headers?.['content-type']]).toEqual([200, 'text/event-stream']);
      expect(text).toContain('"message_stop"');
      expect(models.calls.at(-1)?.headers['x-api-key']).toBe('sk-key');
      const writes = db.commandCalls(UpdateCommand).map(({ args }) => args[0].input.UpdateExpression ?? '');
      expect(writes).toEqual([expect.stringContaining('SET #open'), expect.stringContaining('REMOVE #open')]);
    },
  );

  it('turns whoever has no token of a running attempt away after one read', async () => {
    db.on(GetCommand).resolves({});
    expect(await call()).toMatchObject({ status: 403, text: expect.stringContaining('permission_error') });
    expect((await call({ headers: { authorization: '' } })).status).toBe(403);
    expect(db.commandCalls(GetCommand)).toHaveLength(1);
    expect(db.commandCalls(UpdateCommand)).toHaveLength(0);
  });

  it('serves no other path, and reads nothing for one', async () => {
    expect((await call({ path: '/v1/files' })).status).toBe(404);
    expect(db.commandCalls(GetCommand)).toHaveLength(0);
  });

  it('gives a call up before its own time is over, so that it can still be settled', async () => {
    present();
    models.setScenario('hang');
    // 15 s of the function's time are kept for settling: a millisecond is left.
    expect((await call({ leftMs: 15_001 })).status).toBe(504);
    expect(db.commandCalls(UpdateCommand)).toHaveLength(2);
  });

  it('answers all the same when a call cannot be settled', async () => {
    present();
    models.setScenario('ok');
    db.on(UpdateCommand).resolvesOnce({}).rejects(new Error('throttled'));
    expect((await call()).status).toBe(200);
  });

  it('fails when the table cannot be asked, rather than letting a call pass', async () => {
    db.on(GetCommand).rejects(new Error('throttled'));
    const calls = models.calls.length;
    await expect(call()).rejects.toThrow('throttled');
    expect(models.calls).toHaveLength(calls);
  });
});
