import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  ConflictException,
  DescribeTasksCommand,
  ECSClient,
  InvalidParameterException,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEcs, type TestEcs } from './support.ts';

describe('the real ECS client', () => {
  let client: ECSClient;
  let ecs: TestEcs;
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const answer = await ecs.ecs.handle(action, await json(request));
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer.body));
  });
  beforeAll(async () => {
    ecs = await startEcs('setInterval(() => {}, 1000)');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new ECSClient({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      maxAttempts: 1,
    });
  });
  afterAll(async () => {
    client.destroy();
    await ecs.stop();
    server.close();
    server.closeAllConnections();
  });

  it('runs, describes and stops a task', async () => {
    const cluster = 'boxes';
    const request = { cluster, taskDefinition: 'box', clientToken: 'token' };
    const [ran] = (await client.send(new RunTaskCommand(request))).tasks ?? [];
    expect(ran?.createdAt).toBeInstanceOf(Date);
    const tasks = [ran?.taskArn ?? '', 'gone'];
    const described = await client.send(new DescribeTasksCommand({ cluster, tasks }));
    expect(described.tasks?.[0]?.taskArn).toBe(ran?.taskArn);
    expect(described.failures).toEqual([{ arn: 'gone', reason: 'MISSING' }]);
    const stopped = await client.send(new StopTaskCommand({ cluster, task: tasks[0] }));
    expect(stopped.task).toMatchObject({ desiredStatus: 'STOPPED', stopCode: 'UserInitiated' });
    const again = client.send(new RunTaskCommand({ ...request, startedBy: 'someone else' }));
    await expect(again).rejects.toBeInstanceOf(ConflictException);
    await expect(again).rejects.toMatchObject({ resourceIds: [ran?.taskArn] });
    const unknown = client.send(new StopTaskCommand({ cluster, task: 'gone' }));
    await expect(unknown).rejects.toBeInstanceOf(InvalidParameterException);
  });
});
