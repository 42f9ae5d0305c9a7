import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeQueue, fakeQueue } from './fake-queue.ts';
import { call, deploy, flow, machineArn } from './support.ts';

const waitForToken = (more: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
  Arguments: {
    QueueUrl: 'http://127.0.0.1/000000000000/q',
    MessageBody: { token: '{% $states.context.Task.Token %}', id: '{% $states.input.id %}' },
  },
  End: true,
  ...more,
});

describe('a task that waits for its token', () => {
  let queue: FakeQueue;
  const running: Array<{ stop(): Promise<void> }> = [];
  beforeEach(async () => {
    queue = await fakeQueue();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const states of running.splice(0)) await states.stop();
    await queue.stop();
  });

  const start = async (state: object, others: Readonly<Record<string, object>> = {}) => {
    const { states } = deploy(flow(state, others), { sqsEndpoint: queue.url });
    running.push(states);
    const { executionArn } = await call(states, 'StartExecution', {
      stateMachineArn: machineArn(),
      input: '{"id":1}',
    });
    const token = async () => {
      const body = JSON.parse(String((await queue.next())['MessageBody']));
      expect(body.id).toBe(1);
      return String(body.token);
    };
    const describeExecution = () => call(states, 'DescribeExecution', { executionArn });
    const ended = async () => {
      await vi.waitFor(async () => expect((await describeExecution())['status']).not.toBe('RUNNING'), 5000);
      return describeExecution();
    };
    return { states, token, describeExecution, ended, executionArn };
  };

  it('goes on with the output that comes back', async () => {
    const { states, token, ended } = await start(waitForToken({ Output: '{% $states.result.stage %}' }));
    const taskToken = await token();
    expect(await call(states, 'SendTaskSuccess', { taskToken, output: '{"stage":"verify"}' })).toEqual({});
    expect(await ended()).toMatchObject({ status: 'SUCCEEDED', output: '"verify"' });
  });

  it('fails with the error that comes back', async () => {
    const { states, token, ended } = await start(waitForToken());
    await call(states, 'SendTaskFailure', { taskToken: await token(), error: 'Lost', cause: 'box died' });
    expect(await ended()).toMatchObject({ status: 'FAILED', error: 'Lost', cause: 'box died' });
  });

  it('gets a new token with each retry', async () => {
    const Retry = [{ ErrorEquals: ['Again'], IntervalSeconds: 1, JitterStrategy: 'FULL' }];
    const { states, token, ended } = await start(waitForToken({ Retry }));
    const first = await token();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await call(states, 'SendTaskFailure', { taskToken: first, error: 'Again' });
    const second = await token();
    expect(second).not.toBe(first);
    await call(states, 'SendTaskSuccess', { taskToken: second, output: '1' });
    expect(await ended()).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('fails with States.HeartbeatTimeout when heartbeats stop, and not before', async () => {
    const Catch = [{ ErrorEquals: ['States.HeartbeatTimeout'], Next: 'Caught', Output: 'silent' }];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const state = waitForToken({ HeartbeatSeconds: 10, TimeoutSeconds: 3_600, Catch });
    const { states, token, describeExecution, executionArn } = await start(state, {
      Caught: { Type: 'Succeed' },
    });
    const taskToken = await token();
    for (let beat = 0; beat < 3; beat++) {
      await vi.advanceTimersByTimeAsync(9_000);
      expect(await call(states, 'SendTaskHeartbeat', { taskToken })).toEqual({});
    }
    expect(await describeExecution()).toMatchObject({ status: 'RUNNING' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await describeExecution()).toMatchObject({ status: 'SUCCEEDED', output: '"silent"' });
    expect(await call(states, 'SendTaskHeartbeat', { taskToken })).toMatchObject({ __type: 'TaskTimedOut' });
    expect(executionArn).toBeDefined();
  });

  it('fails with States.Timeout when nothing comes back in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { token, describeExecution } = await start(waitForToken({ TimeoutSeconds: 60 }));
    await token();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await describeExecution()).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
  });

  it('fails at once when its message cannot be sent', async () => {
    await queue.stop();
    queue = await fakeQueue({ fail: true });
    const { ended } = await start(waitForToken());
    expect(await ended()).toMatchObject({ status: 'FAILED', error: 'SQS.AmazonSQSException' });
  });

  it('answers its token once: the second time the task no longer waits', async () => {
    const { states, token, ended } = await start(waitForToken());
    const taskToken = await token();
    await call(states, 'SendTaskSuccess', { taskToken, output: '1' });
    const again = await call(states, 'SendTaskSuccess', { taskToken, output: '2' });
    expect(again).toMatchObject({ __type: 'TaskTimedOut' });
    expect(await ended()).toMatchObject({ output: '1' });
  });

  it('no longer waits after its execution was stopped', async () => {
    const { states, token, executionArn } = await start(waitForToken());
    const taskToken = await token();
    await call(states, 'StopExecution', { executionArn, error: 'Stopped' });
    const late = await call(states, 'SendTaskSuccess', { taskToken, output: '1' });
    expect(late).toMatchObject({ __type: 'TaskTimedOut' });
  });

  it.each([
    ['SendTaskSuccess', { taskToken: 'nonsense', output: '1' }, 'InvalidToken'],
    ['SendTaskFailure', { taskToken: '' }, 'InvalidToken'],
    ['SendTaskHeartbeat', {}, 'InvalidToken'],
    ['SendTaskHeartbeat', { taskToken: `AQ${'x'.repeat(64)}` }, 'TaskTimedOut'],
  ])('refuses with %s %j: %s', async (action, body, code) => {
    const { states } = await start(waitForToken());
    expect(await states.handle(action, body)).toMatchObject({ status: 400, body: { __type: code } });
  });

  it('goes on waiting when the output that comes back is not JSON', async () => {
    const { states, token, describeExecution } = await start(waitForToken());
    const taskToken = await token();
    const answer = await call(states, 'SendTaskSuccess', { taskToken, output: '{' });
    expect(answer).toMatchObject({ __type: 'InvalidOutput' });
    expect(await describeExecution()).toMatchObject({ status: 'RUNNING' });
  });
});
