import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { MAX_NOTICE_ATTEMPTS, noticeRetrySeconds } from '../../shared/control/notify/retry-schedule.ts';
import { FUNCTION_ENV } from '../support/function-env-values.ts';
import { MemoryTable } from '../support/memory-table.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';
import { chatSecret, chatTargets, ScriptedChats } from '../support/notify/scripted-chats.ts';

const sqs = mockAwsClient(SQSClient);
const db = mockAwsClient(DynamoDBDocumentClient);
let chats: ScriptedChats;
let handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
const said: { readonly level: string; readonly text: string }[] = [];

const EVENT = {
  id: 'e',
  time: '2026-01-02T03:04:05Z',
  source: 'assay',
  'detail-type': 'Task Failed',
  detail: {
    event_id: 'T1#5#task_failed',
    schema_version: 1,
    summary: 'Task T1 (Make sum add) has failed: gates_failed: no',
    at: '2026-01-02T03:04:05.000Z',
    task_id: 'T1',
    title: 'Make sum add',
    role: 'backend',
    priority: 2,
    runner: 'managed',
    repository: 'https://github.com/acme/shop',
    created_by: 'ada',
    version: 5,
    attempts: 2,
    cost_usd: null,
    code: 'gates_failed',
    message: 'no',
  },
};
const record = (body: string, receives = 1) => ({
  messageId: `m${receives}`,
  receiptHandle: 'handle',
  body,
  attributes: { ApproximateReceiveCount: String(receives) },
});
const call = (...records: ReturnType<typeof record>[]) =>
  handler({ Records: records } as unknown as SQSEvent);
const queued = (): string[] =>
  sqs.commandCalls(SendMessageCommand).map((each) => String(each.args[0].input.MessageBody));

beforeAll(async () => {
  chats = await ScriptedChats.start();
  Object.assign(process.env, FUNCTION_ENV, {
    [FUNCTION_ENV_NAMES.notify]: JSON.stringify(chatTargets(chats)),
    [FUNCTION_ENV_NAMES.notifySecret]: '{"via":"environment","variable":"ASSAY_NOTIFY_CREDENTIALS"}',
    [FUNCTION_ENV_NAMES.notifyQueue]: 'https://sqs.test/notify',
    ASSAY_NOTIFY_CREDENTIALS: JSON.stringify(chatSecret(chats)),
  });
  ({ handler } = await import('../../functions/notify/handler.ts'));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await chats.stop();
});
beforeEach(async () => {
  const { logger } = await import('../../functions/runtime/logger.ts');
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(logger, level).mockImplementation((...words) => {
      said.push({ level, text: JSON.stringify(words) });
    });
  sqs.reset();
  db.reset();
  said.length = 0;
  chats.requests.length = 0;
  const table = new MemoryTable();
  db.on(GetCommand).callsFake((input) => table.carryOut(new GetCommand(input)));
  db.on(PutCommand).callsFake((input) => table.carryOut(new PutCommand(input)));
  sqs.onAnyCommand().resolves({});
});

describe('the function that sends notifications', () => {
  it('queues an event once for each target, and delivers each by itself', async () => {
    expect(await call(record(JSON.stringify(EVENT)))).toEqual({ batchItemFailures: [] });
    const deliveries = queued();
    expect(deliveries.map((each) => (JSON.parse(each) as { target: string }).target)).toEqual([
      'bot',
      'slack',
      'teams',
      'hook',
    ]);
    expect(chats.requests).toEqual([]);
    const answer = await call(...deliveries.map((each, index) => record(each, index + 1)));
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(chats.requests).toHaveLength(4);
  });

  it('has a failed delivery come again later, says why, and delivers the others', async () => {
    await call(record(JSON.stringify(EVENT)));
    const [, slack = '', teams = ''] = queued();
    chats.failures.push([429, 'slow down', { 'retry-after': '55' }]);
    expect(await call(record(slack, 2))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
    expect(await call(record(teams))).toEqual({ batchItemFailures: [] });
    const [changed] = sqs.commandCalls(ChangeMessageVisibilityCommand);
    expect(changed?.args[0].input).toEqual({
      QueueUrl: 'https://sqs.test/notify',
      ReceiptHandle: 'handle',
      VisibilityTimeout: 55,
    });
    expect(said).toEqual([{ level: 'warn', text: expect.stringContaining('slack answers 429') }]);
    expect(said[0]?.text).not.toContain('hush');
  });

  it.each(['no JSON', '{}', JSON.stringify({ ...EVENT, detail: { title: 'half an event' } })])(
    'gives back what it cannot read, with an error in its log: %s',
    async (body) => {
      expect((await call(record(body))).batchItemFailures).toHaveLength(1);
      expect(said).toMatchObject([{ level: 'error' }]);
    },
  );

  it('lets go of events that no target is told of', async () => {
    const other = { ...EVENT, 'detail-type': 'Record quality_gates', detail: {} };
    expect(await call(record(JSON.stringify(other)))).toEqual({ batchItemFailures: [] });
    expect(queued()).toEqual([]);
  });
});

describe('the retries of a delivery', () => {
  it('wait longer each time, as long as the server asks, and never longer than SQS allows', () => {
    const waits = Array.from({ length: MAX_NOTICE_ATTEMPTS - 1 }, (_, index) =>
      noticeRetrySeconds(index + 1, null),
    );
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(15 * 3_600);
    expect(noticeRetrySeconds(1, 90.2)).toBe(91);
    expect(noticeRetrySeconds(1, 1e9)).toBeLessThan(12 * 3_600);
  });
});
