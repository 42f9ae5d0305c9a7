import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { createEventBus, type LocalEventBus } from '../../../local/events/index.ts';
import { parseScheduleRate } from '../../../local/events/rules.ts';
import type { InvokeResult } from '../../../local/shared-types.ts';

const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:reconciler';
const stopped = {
  source: 'aws.ecs',
  'detail-type': 'ECS Task State Change',
  detail: { lastStatus: 'STOPPED' },
};

const rule = (logicalId: string, properties: object) => ({
  logicalId,
  type: 'AWS::Events::Rule',
  properties: { State: 'ENABLED', Targets: [{ Id: 'T', Arn: functionArn }], ...properties },
  metadata: {},
});
const onStopped = {
  EventPattern: { account: ['123456789012'], source: ['aws.ecs'], detail: { lastStatus: ['STOPPED'] } },
};
const everyMinute = {
  ScheduleExpression: 'rate(1 minute)',
  Targets: [{ Id: 'T', Arn: functionArn, Input: '{"kind":"schedule"}' }],
};

let bus: LocalEventBus | undefined;
const calls: Array<{ readonly name: string; readonly payload: unknown }> = [];
const messages: Array<{ readonly queueArn: string; readonly body: string }> = [];
const errors: string[] = [];
function start(resources: Parameters<typeof createEventBus>[0]['resources'], result?: () => InvokeResult) {
  bus = createEventBus({
    resources,
    lambda: {
      invoke: async (name, payload) => {
        calls.push({ name, payload });
        return result?.() ?? { payload: null };
      },
    },
    counters: createOperationCounters(),
    sendMessage: async (queueArn, body) => void messages.push({ queueArn, body }),
    onError: (message) => errors.push(message),
  });
  return bus;
}
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(async () => {
  await bus?.stop();
  bus = undefined;
  calls.length = 0;
  messages.length = 0;
  errors.length = 0;
  vi.useRealTimers();
});

describe('an event', () => {
  it('reaches the queues of the rules that match', async () => {
    const queueArn = 'arn:aws:sqs:eu-west-1:123456789012:told';
    const events = start([rule('Queued', { ...onStopped, Targets: [{ Id: 'Q', Arn: queueArn }] })]);
    events.put(stopped);
    events.put({ ...stopped, detail: { lastStatus: 'RUNNING' } });
    await events.stop();
    expect(messages).toEqual([{ queueArn, body: expect.any(String) }]);
    expect(JSON.parse(messages[0]?.body ?? '')).toMatchObject(stopped);
    expect(calls).toEqual([]);
  });

  it('reaches the functions of the rules that match, whole', async () => {
    vi.setSystemTime('2026-01-02T03:04:05.678Z');
    const events = start([
      rule('Stopped', onStopped),
      rule('Other', { EventPattern: { source: ['aws.s3'] } }),
    ]);
    events.put({ ...stopped, resources: ['arn:task'] });
    events.put({ ...stopped, detail: { lastStatus: 'RUNNING' } });
    await events.stop();
    expect(calls).toEqual([
      {
        name: functionArn,
        payload: {
          version: '0',
          id: expect.any(String),
          account: '123456789012',
          region: 'eu-west-1',
          time: '2026-01-02T03:04:05Z',
          ...stopped,
          resources: ['arn:task'],
        },
      },
    ]);
  });

  it('reaches no disabled rule', async () => {
    const events = start([rule('Stopped', { ...onStopped, State: 'DISABLED' })]);
    events.put(stopped);
    await events.stop();
    expect(calls).toEqual([]);
  });

  it.each<[string, () => InvokeResult]>([
    ['fails', () => ({ payload: null, error: { errorType: 'Broken', errorMessage: 'why' } })],
    [
      'cannot be invoked',
      () => {
        throw new Error('Broken: why');
      },
    ],
  ])('whose function %s is reported with the name of the rule', async (_name, result) => {
    const events = start([rule('Stopped', onStopped)], result);
    events.put(stopped);
    await events.stop();
    expect(errors).toEqual(['rule Stopped: Broken: why']);
  });
});

describe('a schedule', () => {
  it('runs at its rate with its constant input, until the bus stops', async () => {
    const events = start([rule('EveryMinute', everyMinute)]);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(120_001);
    expect(calls).toEqual(Array(3).fill({ name: functionArn, payload: { kind: 'schedule' } }));
    await events.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(calls).toHaveLength(3);
  });

  it('can be fired at once, and is waited for', async () => {
    const events = start([rule('EveryMinute', everyMinute), rule('Stopped', onStopped)]);
    await events.fireSchedules();
    expect(calls).toEqual([{ name: functionArn, payload: { kind: 'schedule' } }]);
  });

  it('without an input of its own sends the event of EventBridge', async () => {
    const events = start([rule('Daily', { ScheduleExpression: 'rate(1 day)' })]);
    await events.fireSchedules();
    expect(calls[0]?.payload).toMatchObject({
      source: 'aws.events',
      'detail-type': 'Scheduled Event',
      resources: ['arn:aws:events:eu-west-1:123456789012:rule/Daily'],
      detail: {},
    });
  });

  it.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(2 hours)', 7_200_000],
    ['rate(30 days)', 2_592_000_000],
  ])('of %s has a period of %i ms', (expression, milliseconds) => {
    expect(parseScheduleRate(expression)).toBe(milliseconds);
  });

  it.each([
    'cron(0 12 * * ? *)',
    'at(2026-01-01T00:00:00)',
    'rate(1 minutes)',
    'rate(0 minutes)',
    'rate(2 day)',
  ])('of %s is refused by name', (ScheduleExpression) => {
    expect(() => start([rule('Rule', { ScheduleExpression })])).toThrow(
      `AWS::Events::Rule Rule: ScheduleExpression ${ScheduleExpression} is not supported`,
    );
  });
});

describe('a bus of the template', () => {
  const bus = {
    logicalId: 'Bus',
    type: 'AWS::Events::EventBus',
    properties: { Name: 'Assay' },
    metadata: {},
  };
  const topic = 'arn:aws:sns:eu-west-1:123456789012:people';
  const tells = rule('Tells', {
    EventBusName: 'Assay',
    EventPattern: { source: ['assay'], 'detail-type': ['Task Held'] },
    Targets: [
      {
        Id: 'T',
        Arn: topic,
        InputTransformer: { InputPathsMap: { s: '$.detail.summary' }, InputTemplate: '"Look: <s>"' },
      },
    ],
  });
  const entry = (fields: object = {}) => ({
    EventBusName: 'Assay',
    Source: 'assay',
    DetailType: 'Task Held',
    Detail: '{"summary":"a \\"$&\\" b"}',
    ...fields,
  });

  it('takes events, and its rules tell a topic in the words of the template', async () => {
    const events = start([bus, tells, rule('Other', { EventPattern: { source: ['assay'] } })]);
    const { status, body } = await events.handle('PutEvents', {
      Entries: [entry(), entry({ DetailType: 'Task Done' })],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ FailedEntryCount: 0, Entries: [{ EventId: expect.any(String) }, {}] });
    await events.stop();
    expect(events.history()).toMatchObject({
      events: [{ bus: 'Assay', 'detail-type': 'Task Held' }, { 'detail-type': 'Task Done' }],
      messages: [{ topic, message: 'Look: a "$&" b' }],
    });
    // That rule listens to the default bus.
    expect(calls).toEqual([]);
  });

  it.each([
    ['a source of AWS', { Source: 'aws.ecs' }, 'NotAuthorizedForSourceException'],
    ['a detail that is no object', { Detail: '"text"' }, 'MalformedDetail'],
    ['no type', { DetailType: undefined }, 'InvalidArgument'],
  ])('refuses %s, and takes what is beside it', async (_what, fields, ErrorCode) => {
    const events = start([bus]);
    const { body } = await events.handle('PutEvents', { Entries: [entry(fields), entry()] });
    expect(body).toMatchObject({
      FailedEntryCount: 1,
      Entries: [{ ErrorCode }, { EventId: expect.any(String) }],
    });
    expect(events.history().events).toHaveLength(1);
  });

  it('takes at most ten at a time', async () => {
    const { status } = await start([bus]).handle('PutEvents', { Entries: Array(11).fill(entry()) });
    expect(status).toBe(400);
  });
});

describe('a rule is refused at start', () => {
  it.each<[string, object, RegExp]>([
    [
      'for a target that is neither function, topic nor queue',
      { Targets: [{ Id: 'T', Arn: 'arn:aws:states:r:a:stateMachine:m' }] },
      /Rule.*arn:aws:states/,
    ],
    [
      'for an input that is transformed',
      { Targets: [{ Id: 'T', Arn: functionArn, InputTransformer: {} }] },
      /Rule.*InputTemplate/,
    ],
    ['for another event bus', { EventBusName: 'mine' }, /Rule.*no event bus mine/],
    ['for an unknown operator', { EventPattern: { source: [{ suffix: 'x' }] } }, /Rule.*source: suffix/],
  ])('%s', (_name, properties, message) => {
    expect(() => start([rule('Rule', { ...onStopped, ...properties })])).toThrow(message);
  });
});
