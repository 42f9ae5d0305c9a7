import { ECSClient, RunTaskCommand, type RunTaskCommandOutput } from '@aws-sdk/client-ecs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FargatePool } from '../../../shared/control/admission/container-capacity.ts';
import { EcsContainerClient } from '../../../shared/store/ecs-containers.ts';
import { LaunchError } from '../../../shared/store/launch-error.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';

const ecs = mockAwsClient(ECSClient);
const boxes = new EcsContainerClient(new ECSClient({ region: 'us-east-1' }), 'cluster', {
  subnets: ['subnet-1'],
  securityGroups: ['sg-1'],
  assignPublicIp: false,
});
const run = (pool: FargatePool = 'on_demand') =>
  boxes.run('gates', 'family', 'T1/1/gates/1', 'https://s3.test/assignment', pool);
const answer = (...failures: { reason?: string; detail?: string }[]) =>
  ecs.on(RunTaskCommand).resolves({ failures } as unknown as RunTaskCommandOutput);
const error = (name: string, message = 'no') =>
  ecs.on(RunTaskCommand).rejects(Object.assign(new Error(message), { name }));
beforeEach(() => ecs.reset());

describe('RunTask that starts nothing', () => {
  it.each([
    ['You’ve reached the limit on the number of vCPUs you can run concurrently. For more information, see …'],
    ["You've reached the limit on the number of tasks you can run concurrently"],
    ['Capacity is unavailable at this time. Please try again later or in a different availability zone'],
    ['RESOURCE:ENI'],
  ])('for want of room says so in a good answer: %s', async (reason) => {
    answer({ reason });
    await expect(run()).rejects.toMatchObject({ name: 'LaunchError', kind: 'capacity', message: reason });
  });

  it.each([
    ['ThrottlingException', 'capacity'],
    ['TooManyRequestsException', 'capacity'],
    ['ServerException', 'unknown'],
    ['TimeoutError', 'unknown'],
    // Rights take a while to be known everywhere, and an operator may mend them.
    ['AccessDeniedException', 'unknown'],
    ['ClientException', 'unknown'],
    ['InvalidParameterException', 'fatal'],
    ['ClusterNotFoundException', 'fatal'],
    ['PlatformUnknownException', 'fatal'],
  ])('and throws %s: %s', async (name, kind) => {
    error(name);
    await expect(run()).rejects.toMatchObject({ kind, message: `${name}: no` });
  });

  it.each([
    ['The requested CPU configuration is above your limit', 'fatal'],
    ['MISSING', 'fatal'],
    ['Something that nobody has ever seen', 'unknown'],
    ['The image has no capacity for kindness', 'unknown'],
  ])('with the reason %s: %s', async (reason, kind) => {
    answer({ reason, detail: 'more' });
    await expect(run()).rejects.toMatchObject({ kind, message: `${reason}: more` });
  });

  it('and gives no reason at all is tried again', async () => {
    answer({});
    await expect(run()).rejects.toThrow(new LaunchError('unknown', 'no reason was given'));
  });
});

describe('RunTask that starts a box', () => {
  const ARN = 'arn:aws:ecs:us-east-1:1:task/c/1';

  it('answers the ARN of its task', async () => {
    ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: ARN }] });
    expect(await run()).toBe(ARN);
  });

  it('asks for a launch type or for a capacity provider, never for both', async () => {
    ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: ARN }] });
    await run('on_demand');
    await run('spot');
    const [demand, spot] = ecs.commandCalls(RunTaskCommand).map((each) => each.args[0].input);
    expect([demand?.launchType, demand?.capacityProviderStrategy]).toEqual(['FARGATE', undefined]);
    expect([spot?.launchType, spot?.capacityProviderStrategy]).toEqual([
      undefined,
      [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
    ]);
  });

  it('has started it before, with another URL: the answer is the task of that time', async () => {
    ecs
      .on(RunTaskCommand)
      .rejects(Object.assign(new Error('in use'), { name: 'ConflictException', resourceIds: [ARN] }));
    expect(await run()).toBe(ARN);
  });

  it('has started it before, and does not say as what', async () => {
    error('ConflictException');
    expect(await run()).toBeNull();
  });
});
