import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import '../support/function-env.ts';
import { DescribeTasksCommand, ECSClient, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import type { AwsStub } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as compactor } from '../../functions/compact/handler.ts';
import { handler as conductor } from '../../functions/conductor/handler.ts';
import { handler as deadLetters } from '../../functions/dead-letters/handler.ts';
import { handler as dispatcher } from '../../functions/dispatch/handler.ts';
import { handler as ledger } from '../../functions/ledger/handler.ts';
import { handler as reconciler } from '../../functions/reconcile/handler.ts';
import { logger } from '../../functions/runtime/logger.ts';
import {
  FAILED_STREAM_BATCH_KEY_PREFIX,
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { parseDeadLetterRetryQueueId } from '../../shared/control/dead-letters/dead-letter.ts';
import { addFailedOperation, EMPTY_RETRY_QUEUE } from '../../shared/control/dead-letters/retry-queue.ts';
import { buildTaskDeadlineKey, buildTaskItemKey, taskToItem } from '../../shared/store/task-item.ts';
import { policiesOf, synthesise } from '../infra/synthesise.ts';
import { attempt, FIXED_NOW, launch, task, taskInReview, verdict } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

type AnyStub = AwsStub<object, { readonly $metadata: object }, object>;
const db = mockAwsClient(DynamoDBDocumentClient);
const s3 = mockAwsClient(S3Client);
const ecs = mockAwsClient(ECSClient);
const sfn = mockAwsClient(SFNClient);
const sqs = mockAwsClient(SQSClient);
const bus = mockAwsClient(EventBridgeClient);
const lambda = mockAwsClient(LambdaClient);

/** What a role allows, and the call that needs it. */
const CALLS = {
  'dynamodb:GetItem': [db, GetCommand],
  'dynamodb:BatchGetItem': [db, BatchGetCommand],
  'dynamodb:PutItem': [db, PutCommand],
  'dynamodb:UpdateItem': [db, UpdateCommand],
  'dynamodb:DeleteItem': [db, DeleteCommand],
  'dynamodb:Query': [db, QueryCommand],
  's3:GetObject': [s3, GetObjectCommand],
  's3:PutObject': [s3, PutObjectCommand],
  's3:DeleteObject': [s3, DeleteObjectCommand],
  's3:ListBucket': [s3, ListObjectsV2Command],
  'states:StartExecution': [sfn, StartExecutionCommand],
  'ecs:RunTask': [ecs, RunTaskCommand],
  'ecs:DescribeTasks': [ecs, DescribeTasksCommand],
  'ecs:StopTask': [ecs, StopTaskCommand],
  'lambda:InvokeFunction': [lambda, InvokeCommand],
  'events:PutEvents': [bus, PutEventsCommand],
  'sqs:ChangeMessageVisibility': [sqs, ChangeMessageVisibilityCommand],
  'sqs:SendMessage': [sqs, SendMessageCommand],
} as const;
type Action = keyof typeof CALLS;
/** What a service calls a refusal; S3 says the same of what is not there, to whoever may not see what is. */
const deniedIn = (action: string): string =>
  action.startsWith('s3:') ? 'AccessDenied' : 'AccessDeniedException';
/** Who needs a right for another call than the usual one. */
const OF_ITS_OWN: Readonly<Record<string, Partial<Record<Action, readonly [unknown, unknown]>>>> = {
  Compactor: { 's3:DeleteObject': [s3, DeleteObjectsCommand] },
};
const callOf = (name: string, action: Action) =>
  (OF_ITS_OWN[name]?.[action] ?? CALLS[action]) as unknown as readonly [AnyStub, never];

/** Used by the services on our behalf, with an alarm of their own where they fail. */
const BY_SERVICES =
  /^(logs:|iam:PassRole|ecs:TagResource|sqs:(Get|Receive|Delete)|dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams))/;
/** What a function has beside for others: what signs URLs for boxes, and what Lambda writes, or takes, in its name. */
const FOR_OTHERS: Readonly<Record<string, RegExp>> = {
  Dispatcher: /^s3:(GetObject|DeleteObject)/,
  Conductor: /^s3:ListBucket/,
  Analytics: /^s3:ListBucket/,
  DeadLetters: /^sqs:ChangeMessageVisibility/,
};

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const context = { getRemainingTimeInMillis: () => 60_000 } as unknown as Context;
const image = (of: Task) => marshall(taskToItem(of), { removeUndefinedValues: true });
const write = (before: Task | null, after: Task): DynamoDBStreamEvent =>
  ({
    Records: [
      {
        eventID: 'e',
        dynamodb: {
          SequenceNumber: '1',
          ...(before && { OldImage: image(before) }),
          NewImage: image(after),
        },
      },
    ],
  }) as unknown as DynamoDBStreamEvent;
const launchMessage = JSON.stringify({
  schema_version: 1,
  kind: 'agent',
  task_id: 'T1',
  attempt: 1,
  run: 1,
});
const message = {
  Records: [
    {
      messageId: 'm',
      receiptHandle: 'h',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:agents',
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
      body: launchMessage,
    },
  ],
} as unknown as SQSEvent;
const again = {
  Records: message.Records.map((each) => ({
    ...each,
    attributes: { ...each.attributes, ApproximateReceiveCount: '2' },
  })),
} as SQSEvent;

const holds = (of: Task): Task => {
  const due = buildTaskDeadlineKey(of.id, FIXED_NOW);
  const item = { ...taskToItem(of), ...due };
  db.on(GetCommand).callsFake(({ Key }) =>
    Key[TASKS_TABLE_KEY_ATTRIBUTES.pk] === TABLE_ITEM_KEY_PREFIXES.tuning ? {} : { Item: item },
  );
  const shard = Object.values(due).find((value) => !String(value).endsWith(of.id));
  db.on(QueryCommand).callsFake((input: { IndexName?: string; ExpressionAttributeValues?: object }) => ({
    Items:
      input.IndexName === 'by_deadline' &&
      Object.values(input.ExpressionAttributeValues ?? {}).includes(shard)
        ? [item]
        : [],
  }));
  return of;
};
const claimed = (fields: Parameters<typeof attempt>[0] = {}): Task =>
  task({ status: 'claimed', attempts: [attempt(fields)] }, { files: ['src/a.js'] });
const ended = (): Task => ({
  ...taskInReview({ verdict: verdict() }),
  files: ['src/a.js'],
  status: 'done',
  verified: true,
  version: 9,
  ended_at: FIXED_NOW.toISOString(),
});
/** A write of a request of people. */
const ofRequest = {
  Records: [
    {
      eventID: 'e',
      dynamodb: {
        SequenceNumber: '1',
        Keys: marshall({
          [TASKS_TABLE_KEY_ATTRIBUTES.pk]: `${TABLE_ITEM_KEY_PREFIXES.request}R1`,
          [TASKS_TABLE_KEY_ATTRIBUTES.sk]: TASKS_TABLE_KEY_ATTRIBUTES.requestSk,
        }),
      },
    },
  ],
} as unknown as DynamoDBStreamEvent;
/** A batch of the stream as Lambda writes it down when its reader has given it up. */
const batch = (): string =>
  JSON.stringify({
    requestContext: { functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:conductor' },
    payload: JSON.stringify({
      Records: [{ eventID: 'e', dynamodb: { SequenceNumber: '1', Keys: marshall(buildTaskItemKey('T1')) } }],
    }),
  });
const waits = { lost: false };
/** A letter that is due, in a lane of its own. */
const letter = (id: string, operation: string, args: string): void => {
  const lane = addFailedOperation(
    EMPTY_RETRY_QUEUE,
    { id, operation, args, error: 'e', category: 'transient', message: 'm' } as Parameters<
      typeof addFailedOperation
    >[1],
    new Date(ago(9)),
    new Date(ago(9)),
  );
  const name = parseDeadLetterRetryQueueId(id);
  db.on(GetCommand).callsFake(({ Key }) => ({
    Item:
      Key[TASKS_TABLE_KEY_ATTRIBUTES.pk] === TABLE_ITEM_KEY_PREFIXES.deadLetter
        ? lane
        : taskToItem(claimed()),
  }));
  db.on(QueryCommand).callsFake(({ Select }: { Select?: string }) =>
    Select === 'COUNT' ? { Count: 1 } : { Items: [{ [TABLE_INDEXES.byDeadline.sk]: `${ago(1)}#${name}` }] },
  );
};
/** As many objects of a day as are made one. */
const BATCHES = Array.from({ length: 16 }, (_, index) => `${index.toString(16).repeat(32)}.jsonl`);
/** A bucket that keeps what is written, and has these objects below each prefix that is asked for. */
const bucket = (names: readonly string[], text: string): void => {
  const kept = new Map<string, string>();
  s3.on(ListObjectsV2Command).callsFake(({ Prefix }) => ({
    Contents: names.map((name) => ({ Key: `${Prefix}${name}`, Size: 10 })),
  }));
  s3.on(DeleteObjectsCommand).resolves({});
  s3.on(PutObjectCommand).callsFake(({ Key, Body }) => {
    kept.set(String(Key), String(Body));
    return {};
  });
  s3.on(GetObjectCommand).callsFake(({ Key }) => ({
    Body: { transformToString: async () => kept.get(String(Key)) ?? text },
  }));
};
/** A round with time for a few letters: here, one that was tried is due again at once. */
const drained = () => {
  let left = 20;
  return deadLetters({ kind: 'schedule' }, { getRemainingTimeInMillis: () => (left-- > 0 ? 60_000 : 0) });
};
const round = () => reconciler({ kind: 'schedule' }, context);

interface Scene {
  /** Sets the stage, before the right is taken away. */
  readonly given?: () => void;
  readonly acts: () => Promise<unknown>;
}
const waiter = (): Task => task({ waits_for: 'T0', status: 'blocked' }, { depends_on: ['T0'] });
const reported = (): Task => taskInReview({ agent: launch(waits) });

/** What each function does, so that every right of its role is used. */
const SCENES: Readonly<Record<string, readonly Scene[]>> = {
  Conductor: [
    { acts: () => conductor(write(null, task()), context) },
    { acts: () => conductor(ofRequest, context) },
    {
      given: () => holds(reported()),
      acts: () => conductor(write(claimed({ agent: launch(waits) }), reported()), context),
    },
    { given: () => holds(ended()), acts: () => conductor(write(taskInReview(), ended()), context) },
    {
      // What was set aside for an attempt is settled.
      given: () => holds(ended()),
      acts: () => {
        const over = attempt({ outcome: 'failed', reservation: { day: '2026-11-20', micro_usd: 1 } });
        return conductor(write(taskInReview(), { ...ended(), attempts: [over] }), context);
      },
    },
    {
      given: () => holds(waiter()),
      acts: () => conductor(write({ ...waiter(), waits_for: null }, waiter()), context),
    },
  ],
  Dispatcher: [
    { given: () => holds(claimed()), acts: () => dispatcher(message) },
    {
      given: () => holds({ ...claimed(), repository: 'https://private.test/shop.git' }),
      acts: () => dispatcher(message),
    },
    { given: () => holds(taskInReview()), acts: () => dispatcher(message) },
    { given: () => holds(claimed()), acts: () => dispatcher(again) },
    {
      given: () => {
        holds(claimed());
        ecs.on(RunTaskCommand).resolves({ failures: [{ reason: 'RESOURCE:CPU' }] });
      },
      acts: () => dispatcher(message),
    },
  ],
  Reconciler: [
    { given: () => holds(task()), acts: round },
    {
      given: () => {
        holds(taskInReview({ gates: launch({ ...waits, launched_at: '2020-01-01T00:00:00.000Z' }) }));
        db.on(QueryCommand, { ConsistentRead: true }).resolves({
          Items: [
            {
              pk: 'containers#spot',
              sk: '0',
              used: 1,
              'box:T1/1/gates/1': { cpu: 1, at: '2020-01-01T00:00:00.000Z', arn: 'arn' },
            },
          ],
        });
        ecs.on(DescribeTasksCommand).resolves({ tasks: [{ taskArn: 'arn', lastStatus: 'RUNNING' }] });
      },
      acts: round,
    },
    { given: () => holds(ended()), acts: round },
    { given: () => holds(waiter()), acts: round },
  ],
  Analytics: [{ acts: () => ledger(write(taskInReview(), ended())) }],
  Compactor: [
    {
      given: () => bucket(BATCHES, '{}\n'),
      acts: () => compactor({}, { getRemainingTimeInMillis: () => 900_000 }),
    },
  ],
  DeadLetters: [
    { acts: () => deadLetters(message, context) },
    { given: () => bucket(['batch'], batch()), acts: drained },
    { given: () => letter('T1.agent-1-1', 'launch:agent', launchMessage), acts: drained },
    {
      given: () => {
        bucket([], JSON.stringify({ Records: ofRequest.Records }));
        letter(
          'R1_conductor_request.record-1',
          'stream:conductor',
          JSON.stringify({ object: 'failed-batches/1', batch: 'b' }),
        );
      },
      acts: drained,
    },
  ],
};

const template = synthesise();
const rights = policiesOf(template).flatMap(({ id, statements }) => {
  const name = Object.keys(SCENES).find((each) =>
    new RegExp(`^(Analytics)?${each}(Launch|Conduct|Reconcile|Ledger|Read|Role)`).test(id),
  );
  // Lambda writes what a reader of the stream gives up.
  const own =
    name === 'DeadLetters'
      ? statements
      : statements.filter(
          ({ Resource }) => !JSON.stringify(Resource).includes(FAILED_STREAM_BATCH_KEY_PREFIX),
        );
  const isForOthers = (each: string) =>
    BY_SERVICES.test(each) || (FOR_OTHERS[name ?? '']?.test(each) ?? false);
  const actions = new Set(own.flatMap(({ Action }) => Action).filter((each) => !isForOthers(each)));
  return name === undefined ? [] : [...actions].map((action) => [name, action] as const);
});

let said: unknown[] = [];
function reset(): void {
  said = [];
  for (const each of [db, s3, ecs, sfn, sqs, bus, lambda]) each.reset();
  db.onAnyCommand().resolves({});
  db.on(QueryCommand).resolves({ Items: [] });
  s3.on(GetObjectCommand).rejects(Object.assign(new Error('gone'), { name: 'NoSuchKey' }));
  ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: 'arn' }] });
  ecs.on(DescribeTasksCommand).resolves({ tasks: [] });
  bus.onAnyCommand().resolves({ Entries: Array(10).fill({ EventId: 'e' }) });
  sfn.onAnyCommand().resolves({ status: 'FAILED' });
}
beforeEach(() => {
  reset();
  vi.spyOn(logger, 'error').mockImplementation(
    (...words) =>
      void said.push(
        words.map((each) =>
          JSON.stringify(each, (_, value) => (value instanceof Error ? value.message : value)),
        ),
      ),
  );
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

describe('a right that a function of the background has lost', () => {
  it.each(rights)('is heard of: %s, %s', async (name, action) => {
    expect(Object.keys(CALLS)).toContain(action);
    const [client, command] = callOf(name, action as Action);
    let used = 0;
    for (const { given, acts } of SCENES[name] ?? []) {
      reset();
      given?.();
      client
        .on(command)
        .rejects(Object.assign(new Error(`not allowed: ${action}`), { name: deniedIn(action) }));
      const threw = await acts().then(
        () => false,
        () => true,
      );
      if (client.commandCalls(command).length === 0) continue;
      used += 1;
      expect(threw || JSON.stringify(said).includes(`not allowed: ${action}`)).toBe(true);
    }
    expect(used).toBeGreaterThan(0);
  });

  it('is counted by the line in the log, of every function', () => {
    const written = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.LoggingConfig?.LogGroup,
    );
    const groups = written.filter((group) => group !== undefined).map((group) => JSON.stringify(group));
    const counted = Object.values(template.findResources('AWS::Logs::MetricFilter'))
      .filter(({ Properties }) => Properties.FilterPattern === '{ $.level = "ERROR" }')
      .map(({ Properties }) => JSON.stringify(Properties.LogGroupName));
    expect(counted.sort()).toEqual(groups.sort());
    expect(counted.length).toBeGreaterThan(10);
  });
});
