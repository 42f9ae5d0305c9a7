import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  InvalidArn,
  InvalidExecutionInput,
  InvalidName,
  SFNClient,
  StartExecutionCommand,
  StateMachineDoesNotExist,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StepFunctions } from '../../../local/step-functions/index.ts';
import { deploy, flow, machineArn } from './support.ts';

const wait = { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Output: 'waited', End: true };

describe('the real Step Functions client', () => {
  let client: SFNClient;
  let states: StepFunctions;
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const answer = await states.handle(action, await json(request));
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer.body));
  });
  beforeAll(async () => {
    ({ states } = deploy(flow(wait)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new SFNClient({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
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

  it('starts an execution each time that it is asked, whatever its name', async () => {
    const [first, second] = [await start('same', 3_600), await start('same', 3_600)];
    expect(first.executionArn).toMatch(
      /^arn:aws:states:us-east-1:000000000000:express:M:same:[0-9a-f-]{36}$/,
    );
    expect(second.executionArn).not.toBe(first.executionArn);
    expect(second.startDate).toBeInstanceOf(Date);
    expect(states.executions()).toMatchObject([
      { name: 'same', status: 'RUNNING' },
      { name: 'same', status: 'RUNNING' },
    ]);
  });

  it('gets the errors of the API under their own names', async () => {
    const unknown = machineArn('Nothing');
    const failing = [
      [new StartExecutionCommand({ stateMachineArn: 'M' }), InvalidArn],
      [new StartExecutionCommand({ stateMachineArn: unknown }), StateMachineDoesNotExist],
      [new StartExecutionCommand({ stateMachineArn, name: 'a b' }), InvalidName],
      [new StartExecutionCommand({ stateMachineArn, name: 'x'.repeat(81) }), InvalidName],
      [new StartExecutionCommand({ stateMachineArn, input: '{' }), InvalidExecutionInput],
    ] as const;
    for (const [command, error] of failing) {
      await expect(client.send(command as StartExecutionCommand)).rejects.toBeInstanceOf(error);
    }
  });
});

describe('an action that is not served', () => {
  it.each(['CreateStateMachine', 'StartSyncExecution', 'SendTaskSuccess', 'toString'])(
    'is refused by name: %s',
    async (action) => {
      const { states } = deploy(flow(wait));
      expect(await states.handle(action, {})).toMatchObject({
        status: 400,
        body: { __type: 'UnknownOperationException', message: expect.stringContaining(action) },
      });
      await states.stop();
    },
  );
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

it('logs each execution that has failed, without its data, and none that it ends itself by stopping', async () => {
  const { states, told, counts } = deploy(flow(wait));
  const begin = (name: string, seconds: unknown) =>
    states.handle('StartExecution', {
      stateMachineArn: machineArn(),
      name,
      input: JSON.stringify({ seconds }),
    });
  await begin('good', 0);
  await begin('bad', 'never');
  await begin('long', 600);
  await vi.waitFor(() => expect(counts['states.ExpressExecution']).toBe(2));
  await states.stop();
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'ERROR', machine: 'M', name: 'bad', status: 'FAILED', state: 'First' },
  ]);
});
