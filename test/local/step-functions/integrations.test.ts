import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FakeQueue, fakeQueue } from './fake-queue.ts';
import { deploy, FunctionError, flow, invoke, machineArn, run } from './support.ts';

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

describe('states:startExecution', () => {
  const nested = (Input: unknown = { n: '{% $states.input.n %}' }, name = 'Inner') =>
    flow({
      Type: 'Task',
      Resource: 'arn:aws:states:::states:startExecution',
      Arguments: { StateMachineArn: machineArn(name), Input },
      End: true,
    });
  const inner = {
    type: 'EXPRESS',
    definition: flow({ ...invoke(), Resource: 'arn:aws:states:::lambda:invoke' }),
  };

  it.each([
    ['an object', nested()],
    ['text', nested('{% $string({"n": $states.input.n}) %}')],
  ])('starts another execution with %s, and does not wait for it', async (_name, definition) => {
    const { states, calls, counts } = deploy(definition, {
      others: { Inner: inner },
      functions: { f: () => new Promise(() => {}) },
    });
    // Both may begin in one millisecond.
    vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
    onTestFinished(() => void vi.restoreAllMocks());
    await states.handle('StartExecution', { stateMachineArn: machineArn(), input: '{"n":4}' });
    await vi.waitFor(() => expect(counts['states.ExpressExecution']).toBe(1));
    expect(calls).toEqual([{ name: 'f', payload: { n: 4 } }]);
    expect(states.executions()).toMatchObject([
      { state_machine: 'Inner', status: 'RUNNING', state: 'First' },
      { state_machine: 'M', status: 'SUCCEEDED' },
    ]);
    await states.stop();
  });

  it('fails with the error of the API when there is no such machine', async () => {
    expect(await run(nested({}, 'Nothing'))).toMatchObject({
      status: 'FAILED',
      error: 'StepFunctions.StateMachineDoesNotExistException',
    });
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
    const machine = send('http://elsewhere.invalid/000000000000/q', { id: '{% $states.input.id %}' });
    expect((await run(machine, { id: 7 }, {}, queue.url)).output).toMatchObject({ MessageId: 'm-1' });
    expect(await queue.next()).toMatchObject({
      QueueUrl: 'http://elsewhere.invalid/000000000000/q',
      MessageBody: '{"id":7}',
    });
  });

  it('names an error of the service SQS.AmazonSQSException', async () => {
    queue = await fakeQueue({ fail: true });
    const machine = send('http://elsewhere.invalid/000000000000/q', 'text');
    expect(await run(machine, {}, {}, queue.url)).toMatchObject({
      status: 'FAILED',
      error: 'SQS.AmazonSQSException',
    });
  });
});
