import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import '../support/function-env.ts';
import { DescribeTasksCommand, ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as cascade } from '../../functions/cascade/handler.ts';
import { handler as conductor } from '../../functions/conductor/handler.ts';
import { buildQueueUrlFromArn, computeBackoffSeconds } from '../../functions/dispatch/backoff.ts';
import { handler as dispatcher } from '../../functions/dispatch/handler.ts';
import { handler as ledger } from '../../functions/ledger/handler.ts';
import { handler as reconciler } from '../../functions/reconcile/handler.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { hashSubmitterName } from '../../shared/control/admission/admission-control.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { attempt, launch as box, FIXED_NOW, task, taskInReview, verdict } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
const s3 = mockAwsClient(S3Client);
const ecs = mockAwsClient(ECSClient);
const sfn = mockAwsClient(SFNClient);
const sqs = mockAwsClient(SQSClient);
const bus = mockAwsClient(EventBridgeClient);
beforeEach(() => {
  for (const each of [db, s3, ecs, sfn, sqs, bus]) each.reset();
  db.on(GetCommand).resolves({});
  db.on(PutCommand).resolves({});
  db.on(UpdateCommand).resolves({});
  db.on(QueryCommand).resolves({ Items: [] });
  s3.on(PutObjectCommand).resolves({});
  // A box that has read its assignment has removed it.
  s3.on(GetObjectCommand).rejects(new NoSuchKey({ message: 'gone', $metadata: {} }));
  ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: 'arn:aws:ecs:us-east-1:1:task/c/1' }] });
  sfn.on(StartExecutionCommand).resolves({});
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
  bus.on(PutEventsCommand).callsFake(({ Entries }: { Entries: unknown[] }) => ({
    Entries: Entries.map((_, index) => ({ EventId: `e${index}` })),
  }));
});

const context = {
  functionName: 'f',
  awsRequestId: 'r',
  getRemainingTimeInMillis: () => 10_000,
} as unknown as Context;
const image = (of: Task) => marshall(taskToItem(of), { removeUndefinedValues: true });
const stream = (...records: [Task | null, Task | null][]): DynamoDBStreamEvent =>
  ({
    Records: records.map(([before, after], index) => ({
      eventID: `e${index}`,
      eventName: 'MODIFY',
      dynamodb: {
        SequenceNumber: String(index),
        ...(before ? { OldImage: image(before) } : {}),
        ...(after ? { NewImage: image(after) } : {}),
      },
    })),
  }) as unknown as DynamoDBStreamEvent;
const message = (fields: Record<string, unknown> = {}, receiveCount = 1): SQSEvent =>
  ({
    Records: [
      {
        messageId: 'm1',
        receiptHandle: 'h1',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:agents',
        attributes: { ApproximateReceiveCount: String(receiveCount) },
        body: JSON.stringify({
          schema_version: 1,
          kind: 'agent',
          task_id: 'T1',
          attempt: 1,
          run: 1,
          ...fields,
        }),
      },
    ],
  }) as unknown as SQSEvent;
const holds = (of: Task): void => {
  const item = taskToItem(of);
  const { [TASKS_TABLE_KEY_ATTRIBUTES.pk]: pk, [TASKS_TABLE_KEY_ATTRIBUTES.sk]: sk } = item;
  db.on(GetCommand).resolves({});
  db.on(GetCommand, {
    Key: { [TASKS_TABLE_KEY_ATTRIBUTES.pk]: pk, [TASKS_TABLE_KEY_ATTRIBUTES.sk]: sk },
  }).resolves({ Item: item });
  // The dispatcher has made the launches that the task names.
  for (const { number, agent, gates } of of.attempts)
    for (const [kind, made] of Object.entries({ agent, gates }))
      if (made)
        db.on(GetCommand, {
          Key: {
            [TASKS_TABLE_KEY_ATTRIBUTES.pk]: `${TABLE_ITEM_KEY_PREFIXES.launch}${of.id}`,
            [TASKS_TABLE_KEY_ATTRIBUTES.sk]: `${number}#${kind}#${made.token_sha256}`,
          },
        }).resolves({ Item: { number: made.number, assignment_key: made.assignment_key } });
};
const claimed = (fields: Parameters<typeof attempt>[0] = {}): Task =>
  task({ status: 'claimed', attempts: [attempt(fields)] });
const launch = {
  number: 1,
  token_sha256: 'x',
  model_token_sha256: null,
  assignment_key: 'k',
  lost: false,
  launched_at: FIXED_NOW.toISOString(),
};

describe('the dispatcher', () => {
  it('writes the assignment, records the launch, then starts the box by family with a client token and a pointer only', async () => {
    holds(claimed());
    expect(await dispatcher(message())).toEqual({ batchItemFailures: [] });
    const run = ecs.commandCalls(RunTaskCommand)[0]?.args[0].input;
    expect(run).toMatchObject({ taskDefinition: 'agent-family', launchType: 'FARGATE', count: 1 });
    expect(run?.clientToken?.length).toBeLessThanOrEqual(64);
    expect(run?.startedBy?.length).toBeLessThanOrEqual(36);
    const environment = run?.overrides?.containerOverrides?.[0]?.environment ?? [];
    expect(environment.map((each) => each.name)).toEqual(['ASSAY_ASSIGNMENT_URL', 'ASSAY_LAUNCH_NAME']);
    expect(JSON.stringify(run?.overrides).length).toBeLessThan(8_192);
    const assignment = JSON.parse(String(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Body)) as Record<
      string,
      unknown
    >;
    expect(assignment).toMatchObject({ kind: 'agent', task_id: 'T1', api_url: 'https://api.test' });
    expect(JSON.stringify(db.commandCalls(PutCommand)[0]?.args[0].input)).not.toContain(
      String(assignment['token']),
    );
  });

  it('starts a repeated message with the same client token and mints nothing anew', async () => {
    holds(claimed({ agent: launch }));
    await dispatcher(message());
    await dispatcher(message());
    const tokens = ecs.commandCalls(RunTaskCommand).map((call) => call.args[0].input.clientToken);
    expect(new Set(tokens).size).toBe(1);
    expect(s3.commandCalls(PutObjectCommand)).toHaveLength(0);
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });

  it('starts nothing when the agent has reported, or the run has moved on', async () => {
    holds(taskInReview());
    expect(await dispatcher(message())).toEqual({ batchItemFailures: [] });
    holds(claimed());
    expect(await dispatcher(message({ run: 7 }))).toEqual({ batchItemFailures: [] });
    expect(ecs.calls()).toHaveLength(0);
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });

  it.each([
    [
      'a failure for want of room',
      () => ecs.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason: 'RESOURCE:CPU' }] }),
    ],
    [
      'a throttled call',
      () =>
        ecs
          .on(RunTaskCommand)
          .rejects(Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' })),
    ],
    [
      'a failure that nobody has seen',
      () => ecs.on(RunTaskCommand).resolves({ failures: [{ reason: 'Moon' }] }),
    ],
  ])('gives the message back with back-off after %s, and says so on the launch', async (_name, arrange) => {
    arrange();
    holds(claimed({ agent: launch }));
    expect(await dispatcher(message({}, 3))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
    const again = sqs.commandCalls(ChangeMessageVisibilityCommand)[0]?.args[0].input;
    expect(again?.ReceiptHandle).toBe('h1');
    expect([5, 6, 7, 8]).toContain(again?.VisibilityTimeout);
    const written = db.commandCalls(PutCommand).at(-1)?.args[0].input.Item as Task;
    expect(Date.parse(written.attempts[0]?.agent?.launched_at ?? '')).toBeGreaterThan(Date.now());
  });

  it('gives back a message that it cannot read, and fails the task of one that ECS will never start', async () => {
    const garbage = { Records: [{ ...message().Records[0], body: 'garbage' }] } as unknown as SQSEvent;
    expect((await dispatcher(garbage)).batchItemFailures).toHaveLength(1);
    ecs.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason: 'MISSING' }] });
    holds(claimed({ agent: launch }));
    expect(await dispatcher(message())).toEqual({ batchItemFailures: [] });
    expect(db.commandCalls(PutCommand).at(-1)?.args[0].input.Item).toMatchObject({
      status: 'failed',
      failure: { code: 'launch_refused', message: 'ECS refuses the agent container: MISSING' },
    });
  });

  it('gives up on gates after three lost boxes and lets the cascade decide', async () => {
    const lost = taskInReview({ gates: { ...launch, number: 3, lost: true } });
    holds(lost);
    await dispatcher(message({ kind: 'gates' }));
    const written = db.commandCalls(PutCommand)[0]?.args[0].input.Item as Task;
    expect(written.attempts[0]?.verification_failure).toMatchObject({ failure_code: 'container_lost' });
    expect(ecs.calls()).toHaveLength(0);
  });

  it('backs off from 2 to 120 seconds, or half of that as chance has it, and makes queue URLs of ARNs', () => {
    expect([1, 2, 3, 7, 50].map((each) => computeBackoffSeconds(each, 1))).toEqual([2, 4, 8, 120, 120]);
    expect([1, 2, 3, 7, 50].map((each) => computeBackoffSeconds(each, 0))).toEqual([1, 2, 4, 60, 60]);
    expect(buildQueueUrlFromArn('arn:aws:sqs:eu-west-1:1:q', undefined)).toBe(
      'https://sqs.eu-west-1.amazonaws.com/1/q',
    );
    expect(buildQueueUrlFromArn('arn:aws:sqs:eu-west-1:1:q', 'http://127.0.0.1:9/')).toBe(
      'http://127.0.0.1:9/1/q',
    );
  });
});

describe('the conductor', () => {
  it('starts an execution for each run and for the end of each wait, which says where it goes on', async () => {
    await conductor(
      stream(
        [null, task()],
        [claimed({ agent: launch }), taskInReview({ agent: launch })],
        [task(), claimed()],
      ),
      context,
    );
    const inputs = sfn.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input);
    const names = inputs.map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^T1-r1-[0-9a-f]{8}$/), expect.stringMatching(/^T1-r1-/)]);
    expect(new Set(names).size).toBe(2);
    expect(inputs.map(({ input }) => JSON.parse(input ?? ''))).toEqual([
      {
        task_id: 'T1',
        run: 1,
        stage: 'select_model',
        attempt: 0,
        priority: 2,
        submitter: hashSubmitterName(task()),
      },
      expect.objectContaining({ task_id: 'T1', run: 1, stage: 'run_gates', attempt: 1 }),
    ]);
  });

  it('reports only the record that failed', async () => {
    sfn.on(StartExecutionCommand).callsFake(({ name }: { name: string }) => {
      if (name.startsWith('T1-r1-')) throw new Error('down');
      return {};
    });
    const result = await conductor(stream([null, task()], [null, task({ id: 'T2' })]), context);
    expect(result?.batchItemFailures).toEqual([{ itemIdentifier: '0' }]);
  });

  it('counts a completion once, with a metric each for all and for the unverified', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const before = taskInReview({ verdict: verdict() });
    const after: Task = {
      ...before,
      status: 'done',
      verified: false,
      version: 2,
      ended_at: FIXED_NOW.toISOString(),
    };
    await conductor(stream([before, after]), context);
    const tally = db
      .commandCalls(PutCommand)
      .map((call) => call.args[0].input.Item)
      .find((item) => item?.['pk'] === 'count#tasks');
    expect(tally).toMatchObject({ unverified: 1, by_status: { done: 1 } });
    db.on(GetCommand).callsFake((input: { Key: { pk: string } }) =>
      input.Key.pk === 'count#tasks' ? { Item: tally } : {},
    );
    await conductor(stream([before, after]), context);
    const emitted = lines.mock.calls
      .map((call) => JSON.parse(String(call[0])) as Record<string, unknown>)
      .filter((line) => 'Completions' in line);
    expect(emitted).toHaveLength(1);
    expect(emitted[0]).toMatchObject({ Completions: 1, UnverifiedCompletions: 1 });
  });
});

describe('the ledger', () => {
  it('writes one object per table and day, under a name that a re-delivery repeats', async () => {
    const before = taskInReview({ verdict: verdict() });
    const after: Task = {
      ...before,
      status: 'done',
      verified: true,
      version: 2,
      ended_at: FIXED_NOW.toISOString(),
    };
    await ledger(stream([before, after], [null, task()]));
    await ledger(stream([before, after], [null, task()]));
    const keys = s3.commandCalls(PutObjectCommand).map((call) => String(call.args[0].input.Key));
    expect(keys).toHaveLength(8);
    expect(new Set(keys).size).toBe(4);
    for (const key of keys)
      expect(key).toMatch(
        /^records\/table=(tasks|cascade_chains|cascade_attempts|verification_nudges)\/dt=2026-11-20\/[0-9a-f]{32}\.jsonl$/,
      );
  });

  it('writes nothing when nothing is to be told', async () => {
    await ledger(stream([claimed(), { ...claimed(), version: 9 }]));
    expect(s3.calls()).toHaveLength(0);
    expect(bus.calls()).toHaveLength(0);
  });

  it('puts the end of a task on the bus, under an id that a re-delivery repeats', async () => {
    const before = taskInReview({ verdict: verdict() });
    const after: Task = {
      ...before,
      status: 'done',
      verified: true,
      version: 2,
      ended_at: FIXED_NOW.toISOString(),
    };
    await ledger(stream([before, after]));
    await ledger(stream([before, after]));
    const entries = bus.commandCalls(PutEventsCommand).map((call) => call.args[0].input.Entries);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toEqual(entries[1]);
    expect(entries[0]).toMatchObject([{ Source: 'assay', DetailType: 'Task Done', EventBusName: 'bus' }]);
    expect(JSON.parse(entries[0]?.[0]?.Detail ?? '')).toMatchObject({ event_id: 'T1#2#task_done' });
  });

  it('fails when the bus refuses an event, so that the batch comes again', async () => {
    bus
      .on(PutEventsCommand)
      .resolves({ Entries: [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'slow' }] });
    const before = taskInReview();
    await expect(ledger(stream([before, { ...before, status: 'failed', version: 2 }]))).rejects.toThrow(
      'the bus has not taken T1#2#task_failed: ThrottlingException: slow',
    );
  });

  it('counts lost boxes for all together and by reason', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const before = taskInReview({ gates: box() });
    const after = taskInReview({ gates: box({ lost: true }) });
    await ledger(stream([before, after]));
    const emitted = lines.mock.calls.map((call) => JSON.parse(String(call[0])) as Record<string, unknown>);
    expect(emitted.filter((line) => line['LostContainers'] === 1).map((line) => line['reason'])).toEqual([
      'container_lost',
      undefined,
    ]);
  });
});

describe('the reconciler', () => {
  it('gives back the attempt of a box that ECS says has stopped, and says why', async () => {
    holds(claimed({ agent: launch }));
    const event = {
      'detail-type': 'ECS Task State Change',
      detail: {
        stoppedReason: 'OutOfMemory',
        containers: [{ exitCode: 137 }],
        overrides: {
          containerOverrides: [{ environment: [{ name: 'ASSAY_LAUNCH_NAME', value: 'T1/1/agent/1' }] }],
        },
      },
    };
    expect(await reconciler(event, context)).toEqual({ lost: true });
    expect(db.commandCalls(PutCommand)[0]?.args[0].input.Item).toMatchObject({
      status: 'open',
      retries: 1,
      attempts: [{ outcome: 'infra_failed' }],
    });
  });

  it('leaves a box alone that has reported, and a container that is none of ours', async () => {
    holds(taskInReview({ agent: launch }));
    const stopped = (environment: unknown[]) => ({
      'detail-type': 'ECS Task State Change',
      detail: { overrides: { containerOverrides: [{ environment }] } },
    });
    expect(
      await reconciler(stopped([{ name: 'ASSAY_LAUNCH_NAME', value: 'T1/1/agent/1' }]), context),
    ).toEqual({
      lost: false,
    });
    expect(await reconciler(stopped([]), context)).toEqual({ lost: false });
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });

  describe('hears from Lambda of a delivery that has not ended well', () => {
    const failed = (box: string, condition: string) => ({
      'detail-type': 'Lambda Function Invocation Result - Failure',
      detail: {
        requestContext: { condition },
        requestPayload: { launch_name: box, assignment_url: 'https://s3.test/a' },
        responsePayload: { errorType: 'Runtime.ExitError', errorMessage: 'signal: killed' },
      },
    });
    const at = FIXED_NOW.toISOString();
    const decision = { action: 'accept', reason: 'r', next_model: null, next_tier: null, at } as const;
    const delivers = () => holds(taskInReview({ verdict: verdict(), decision, deliver: launch }, { run: 1 }));
    const written = () => db.commandCalls(PutCommand).map(({ args }) => args[0].input.Item);

    it('and has it delivered again, which counts', async () => {
      delivers();
      expect(await reconciler(failed('T1/1/deliver/1', 'RetriesExhausted'), context)).toEqual({ lost: true });
      expect(written()).toMatchObject([{ run: 2, attempts: [{ deliver: { number: 1, lost: true } }] }]);
      expect(written()[0]?.['attempts'][0].deliver.excused_losses).toBeUndefined();
    });

    it('and excuses one that has waited for too long', async () => {
      delivers();
      expect(await reconciler(failed('T1/1/deliver/1', 'EventAgeExceeded'), context)).toEqual({ lost: true });
      expect(written()).toMatchObject([{ attempts: [{ deliver: { lost: true, excused_losses: 1 } }] }]);
    });

    it.each(['T1/1/gates/1', 'T1/1/deliver/2', 'nonsense'])('and believes nothing of %s', async (box) => {
      delivers();
      expect(await reconciler(failed(box, 'RetriesExhausted'), context)).toEqual({ lost: false });
      expect(written()).toEqual([]);
    });
  });

  it('starts a step that nobody has done, of the same run; after a stop of everything by a new one', async () => {
    holds(task());
    const item = taskToItem(task());
    db.on(QueryCommand).callsFake(
      (input: { IndexName?: string; ExpressionAttributeValues?: Record<string, unknown> }) => ({
        Items:
          input.IndexName === 'by_deadline' &&
          input.ExpressionAttributeValues?.[':pk'] === item['gs_deadline_shard']
            ? [item]
            : [],
      }),
    );
    expect(await reconciler({ kind: 'schedule' }, context)).toMatchObject({ checked: 1, changed: 0 });
    expect(sfn.commandCalls(StartExecutionCommand)[0]?.args[0].input).toMatchObject({
      name: expect.stringMatching(/^T1-r1-/),
      input: expect.stringContaining('"stage":"select_model"'),
    });
    expect(await reconciler({ kind: 'schedule', grace_seconds: 0 }, context)).toMatchObject({
      checked: 1,
      changed: 1,
    });
    const written = db.commandCalls(PutCommand).map(({ args }) => args[0].input.Item);
    expect(
      written.filter((each) => each?.[TASKS_TABLE_KEY_ATTRIBUTES.sk] === TASKS_TABLE_KEY_ATTRIBUTES.taskSk),
    ).toMatchObject([{ run: 2 }]);
    expect(sfn.commandCalls(StartExecutionCommand)).toHaveLength(1);
    expect(ecs.commandCalls(DescribeTasksCommand)).toHaveLength(0);
  });
});

describe('the cascade', () => {
  it('ends an execution whose step comes late or twice, and changes nothing', async () => {
    holds(taskInReview());
    expect(await cascade({ step: 'select_model', task_id: 'T1', run: 1 })).toEqual({
      stage: 'superseded',
      attempt: 1,
      priority: 2,
      submitter: hashSubmitterName(taskInReview()),
    });
    for (const [step, run] of [
      ['settle', 1],
      ['decide', 9],
    ] as const)
      expect(await cascade({ step, task_id: 'T1', run })).toMatchObject({ stage: 'superseded' });
    expect(db.commandCalls(PutCommand)).toHaveLength(0);
  });

  it('goes on from where the task stands when it is tried again: it may have moved it itself, and nobody heard', async () => {
    holds(taskInReview());
    const again = { task_id: 'T1', run: 1, is_retry: true };
    expect(await cascade({ step: 'select_model', ...again })).toMatchObject({ stage: 'run_gates' });
    expect(await cascade({ step: 'settle', ...again, run: 9 })).toMatchObject({ stage: 'superseded' });
  });

  it('ends when the task is gone', async () => {
    db.on(GetCommand).resolves({});
    expect(await cascade({ step: 'select_model', task_id: 'T9', run: 1 })).toMatchObject({
      stage: 'ended',
    });
  });
});
