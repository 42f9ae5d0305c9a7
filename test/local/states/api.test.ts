import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  InvalidArn,
  InvalidExecutionInput,
  InvalidName,
  ListExecutionsCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StartSyncExecutionCommand,
  StateMachineDoesNotExist,
  StateMachineTypeNotSupported,
  StopExecutionCommand,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { States } from '../../../local/states/index.ts';
import { deploy, flow, machineArn } from './support.ts';

const wait = { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Output: 'waited', End: true };

describe('the real Step Functions client', () => {
  let client: SFNClient;
  let states: States;
  let counts: Readonly<Record<string, number>>;
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const answer = await states.handle(action, await json(request));
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer.body));
  });
  beforeAll(async () => {
    const Express = { type: 'EXPRESS', definition: flow({ Type: 'Pass', Output: [1], End: true }) };
    ({ states, counts } = deploy(flow(wait), { others: { Express } }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new SFNClient({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      disableHostPrefix: true,
      maxAttempts: 1,
    });
  });
  afterAll(async () => {
    client.destroy();
    await states.stop();
    server.close();
    server.closeAllConnections();
  });

  const stateMachineArn = machineArn();
  const start = (name: string, seconds: number) =>
    client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ seconds }) }));

  it('starts an execution once per name and input while it runs', async () => {
    const first = await start('same', 3_600);
    const second = await start('same', 3_600);
    expect(second).toMatchObject({ executionArn: first.executionArn, startDate: first.startDate });
    expect(first.executionArn).toBe('arn:aws:states:us-east-1:000000000000:execution:M:same');
    await expect(start('same', 7_200)).rejects.toBeInstanceOf(ExecutionAlreadyExists);
  });

  it('does not start an execution whose name has been used, when it has ended', async () => {
    const { executionArn } = await start('ended', 3_600);
    await client.send(new StopExecutionCommand({ executionArn, error: 'Enough', cause: 'of it' }));
    await expect(start('ended', 3_600)).rejects.toBeInstanceOf(ExecutionAlreadyExists);
  });

  it('describes an execution before and after it was stopped', async () => {
    const { executionArn } = await start('described', 3_600);
    const running = await client.send(new DescribeExecutionCommand({ executionArn }));
    expect(running).toMatchObject({ status: 'RUNNING', name: 'described', input: '{"seconds":3600}' });
    expect(running.startDate).toBeInstanceOf(Date);
    expect(running.stopDate).toBeUndefined();
    await client.send(new StopExecutionCommand({ executionArn, error: 'Enough', cause: 'of it' }));
    const stopped = await client.send(new DescribeExecutionCommand({ executionArn }));
    expect(stopped).toMatchObject({ status: 'ABORTED', error: 'Enough', cause: 'of it' });
    expect(stopped.stopDate).toBeInstanceOf(Date);
  });

  it('runs an Express execution to its end', async () => {
    const answer = await client.send(
      new StartSyncExecutionCommand({ stateMachineArn: machineArn('Express'), name: 'sync', input: '{}' }),
    );
    expect(answer).toMatchObject({ status: 'SUCCEEDED', output: '[1]', name: 'sync' });
    expect(answer.executionArn).toMatch(/:express:Express:sync:/);
    expect(answer.billingDetails?.billedDurationInMilliseconds).toBe(100);
  });

  it('lists executions by status, latest first, page by page', async () => {
    const { executionArn } = await start('listed-1', 3_600);
    await start('listed-2', 3_600);
    await client.send(new StopExecutionCommand({ executionArn }));
    const list = (more: object) => client.send(new ListExecutionsCommand({ stateMachineArn, ...more }));
    const running = (await list({ statusFilter: 'RUNNING' })).executions?.map(({ name }) => name);
    expect(running?.[0]).toBe('listed-2');
    expect(running).not.toContain('listed-1');
    const first = await list({ maxResults: 1 });
    const second = await list({ maxResults: 1, nextToken: first.nextToken });
    expect([first, second].map(({ executions }) => executions?.[0]?.name)).toEqual(['listed-2', 'listed-1']);
  });

  it('reads the history of an execution in both directions', async () => {
    const { executionArn } = await start('history', 0);
    await expect
      .poll(async () => (await client.send(new DescribeExecutionCommand({ executionArn }))).status)
      .toBe('SUCCEEDED');
    const types = async (reverseOrder: boolean) =>
      (await client.send(new GetExecutionHistoryCommand({ executionArn, reverseOrder }))).events;
    const events = await types(false);
    expect(events?.map(({ type }) => type)).toEqual([
      'ExecutionStarted',
      'WaitStateEntered',
      'WaitStateExited',
      'ExecutionSucceeded',
    ]);
    expect(events?.[1]?.stateEnteredEventDetails).toEqual({ name: 'First', input: '{"seconds":0}' });
    expect(events?.[3]?.executionSucceededEventDetails).toEqual({ output: '"waited"' });
    expect((await types(true))?.[0]?.type).toBe('ExecutionSucceeded');
  });

  it('gets the errors of the API under their own names', async () => {
    const unknown = machineArn('Nothing');
    const nothing = 'arn:aws:states:us-east-1:000000000000:execution:M:nothing';
    const failing = [
      [new StartExecutionCommand({ stateMachineArn: 'M' }), InvalidArn],
      [new StartExecutionCommand({ stateMachineArn: unknown }), StateMachineDoesNotExist],
      [new StartExecutionCommand({ stateMachineArn, name: 'a b' }), InvalidName],
      [new StartExecutionCommand({ stateMachineArn, name: 'x'.repeat(81) }), InvalidName],
      [new StartExecutionCommand({ stateMachineArn, input: '{' }), InvalidExecutionInput],
      [new StartSyncExecutionCommand({ stateMachineArn }), StateMachineTypeNotSupported],
      [new DescribeExecutionCommand({ executionArn: nothing }), ExecutionDoesNotExist],
      [new StopExecutionCommand({ executionArn: nothing }), ExecutionDoesNotExist],
      [new ListExecutionsCommand({ stateMachineArn: machineArn('Express') }), StateMachineTypeNotSupported],
      [new SendTaskSuccessCommand({ taskToken: `AQ${'x'.repeat(64)}`, output: '1' }), TaskTimedOut],
    ] as const;
    for (const [command, error] of failing) {
      await expect(client.send(command as StartExecutionCommand)).rejects.toBeInstanceOf(error);
    }
  });

  it('is billed a transition for the start and one for each state entered', async () => {
    await start('billed-1', 3_600);
    const before = Number(counts['states.StateTransition']);
    await start('billed-2', 3_600);
    expect(counts['states.StateTransition']).toBe(before + 2);
  });
});

describe('an action that is not served', () => {
  it.each(['CreateStateMachine', 'toString'])('is refused by name: %s', async (action) => {
    const { states } = deploy(flow(wait));
    expect(await states.handle(action, {})).toMatchObject({
      status: 400,
      body: { __type: 'UnknownOperationException', message: expect.stringContaining(action) },
    });
    await states.stop();
  });
});

describe('stop', () => {
  it('ends every execution and waits for it', async () => {
    const { states } = deploy(flow(wait));
    await states.handle('StartExecution', { stateMachineArn, input: '{"seconds":3600}' });
    await states.stop();
    expect(states.executions()).toMatchObject([{ status: 'ABORTED', state: 'First', state_machine: 'M' }]);
  });
  const stateMachineArn = machineArn();
});

it('tells the bus how a Standard execution has ended, and nothing of those that it ends itself by stopping', async () => {
  const Express = { type: 'EXPRESS', definition: flow({ Type: 'Pass', End: true }) };
  const { states, told } = deploy(flow(wait), { others: { Express } });
  const begin = (action: string, name: string, seconds: unknown, machine = 'M') =>
    states.handle(action, {
      stateMachineArn: machineArn(machine),
      name,
      input: JSON.stringify({ seconds }),
    });
  await begin('StartSyncExecution', 'express', 0, 'Express');
  await begin('StartExecution', 'good', 0);
  await begin('StartExecution', 'bad', 'never');
  await begin('StartExecution', 'long', 600);
  await vi.waitFor(() => expect(told).toHaveLength(2));
  await states.stop();
  expect(
    told.map(({ detail }) => detail).toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
  ).toMatchObject([
    { name: 'bad', status: 'FAILED', stateMachineArn: machineArn() },
    { name: 'good', status: 'SUCCEEDED', stateMachineArn: machineArn() },
  ]);
});
