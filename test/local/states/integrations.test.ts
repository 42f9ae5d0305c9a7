import { afterEach, describe, expect, it } from 'vitest';
import { type FakeQueue, fakeQueue } from './fake-queue.ts';
import { call, deploy, FunctionError, flow, invoke, machineArn, run } from './support.ts';

describe('lambda:invoke', () => {
  it('puts out the answer of the API with the payload parsed', async () => {
    const machine = flow(invoke({ Output: '{% $states.result %}' }));
    expect((await run(machine, { a: 1 }, { f: (payload) => ({ echo: payload }) })).output).toEqual({
      ExecutedVersion: '$LATEST',
      Payload: { echo: { a: 1 } },
      StatusCode: 200,
    });
  });

  it('gives the error of a function its own name, and its text as the cause', async () => {
    const f = () => {
      throw new FunctionError('ConditionalCheckFailedException', 'lost the race');
    };
    const result = await run(flow(invoke()), {}, { f });
    expect(result).toMatchObject({ status: 'FAILED', error: 'ConditionalCheckFailedException' });
    expect(JSON.parse(String(result.cause))).toMatchObject({
      errorType: 'ConditionalCheckFailedException',
      errorMessage: expect.stringContaining('lost the race'),
    });
  });

  it('names a host that cannot run the function Lambda.SdkClientException', async () => {
    expect(await run(flow(invoke()))).toMatchObject({ error: 'Lambda.SdkClientException' });
  });
});

describe('the ARN of a function', () => {
  const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:g';
  it.each([
    ['its input', {}, { n: 1 }],
    ['its Arguments', { Arguments: { doubled: '{% $states.input.n * 2 %}' } }, { doubled: 2 }],
  ])('as Resource passes %s and puts out what the function returned', async (_name, more, sent) => {
    const machine = flow({ Type: 'Task', Resource: functionArn, End: true, ...more });
    const { output } = await run(machine, { n: 1 }, { [functionArn]: (payload) => ({ got: payload }) });
    expect(output).toEqual({ got: sent });
  });
});

describe('aws-sdk:sfn:startSyncExecution', () => {
  const nested = (Input: unknown = { n: '{% $states.input.n %}' }) =>
    flow({
      Type: 'Task',
      Resource: 'arn:aws:states:::aws-sdk:sfn:startSyncExecution',
      Arguments: { StateMachineArn: machineArn('Inner'), Input },
      End: true,
    });
  const inner = {
    type: 'EXPRESS',
    definition: flow(
      {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.n > 0 %}', Next: 'Good' }],
        Default: 'Bad',
      },
      {
        Good: { Type: 'Succeed', Output: { twice: '{% $states.input.n * 2 %}' } },
        Bad: { Type: 'Fail', Error: 'NotPositive', Cause: 'n' },
      },
    ),
  };
  const start = async (definition: object, input: object, others: Parameters<typeof deploy>[1] = {}) => {
    const { states, counts } = deploy(definition, { type: 'EXPRESS', ...others });
    const answer = await call(states, 'StartSyncExecution', {
      stateMachineArn: machineArn(),
      input: JSON.stringify(input),
    });
    await states.stop();
    return { answer, counts };
  };

  it('answers as the SDK does: PascalCase, output as text, times as text', async () => {
    const { answer, counts } = await start(nested(), { n: 4 }, { others: { Inner: inner } });
    expect(JSON.parse(String(answer['output']))).toMatchObject({
      Status: 'SUCCEEDED',
      Output: '{"twice":8}',
      StateMachineArn: machineArn('Inner'),
      StartDate: expect.stringMatching(/^\d{4}-.*Z$/),
      BillingDetails: { BilledDurationInMilliseconds: 100, BilledMemoryUsedInMB: 64 },
    });
    expect(counts).toMatchObject({ 'states.ExpressExecution': 2, 'states.ExpressDurationMs': 200 });
    expect(counts).not.toHaveProperty(['states.StateTransition']);
  });

  it('takes the input as text, too', async () => {
    const { answer } = await start(nested('{% $string({"n": 5}) %}'), {}, { others: { Inner: inner } });
    expect(JSON.parse(String(answer['output']))).toMatchObject({ Output: '{"twice":10}' });
  });

  it('answers for a failed execution instead of failing itself', async () => {
    const { answer } = await start(nested(), { n: -1 }, { others: { Inner: inner } });
    expect(answer).toMatchObject({ status: 'SUCCEEDED' });
    expect(JSON.parse(String(answer['output']))).toMatchObject({
      Status: 'FAILED',
      Error: 'NotPositive',
      Cause: 'n',
    });
  });

  it('fails with the error of the API when there is no such machine', async () => {
    const { answer } = await start(nested(), { n: 1 });
    expect(answer).toMatchObject({ status: 'FAILED', error: 'Sfn.StateMachineDoesNotExistException' });
  });
});

describe('sqs:sendMessage', () => {
  let queue: FakeQueue | undefined;
  afterEach(async () => {
    await queue?.stop();
    queue = undefined;
  });
  const send = (QueueUrl: string, MessageBody: unknown) =>
    flow({
      Type: 'Task',
      Resource: 'arn:aws:states:::sqs:sendMessage',
      Arguments: { QueueUrl, MessageBody },
      End: true,
    });

  it('sends an object as JSON to the endpoint, whatever the host of the queue’s URL', async () => {
    queue = await fakeQueue();
    const { states } = deploy(
      send('http://elsewhere.invalid/000000000000/q', { id: '{% $states.input.id %}' }),
      {
        type: 'EXPRESS',
        sqsEndpoint: queue.url,
      },
    );
    const answer = await call(states, 'StartSyncExecution', {
      stateMachineArn: machineArn(),
      input: '{"id":7}',
    });
    expect(JSON.parse(String(answer['output']))).toMatchObject({ MessageId: 'm-1' });
    expect(await queue.next()).toMatchObject({
      QueueUrl: 'http://elsewhere.invalid/000000000000/q',
      MessageBody: '{"id":7}',
    });
    await states.stop();
  });

  it('names an error of the service SQS.AmazonSQSException', async () => {
    queue = await fakeQueue({ fail: true });
    const { states } = deploy(send('http://elsewhere.invalid/000000000000/q', 'text'), {
      type: 'EXPRESS',
      sqsEndpoint: queue.url,
    });
    const answer = await call(states, 'StartSyncExecution', { stateMachineArn: machineArn() });
    expect(answer).toMatchObject({ status: 'FAILED', error: 'SQS.AmazonSQSException' });
    await states.stop();
  });
});
