import { ECSClient, RunTaskCommand, type RunTaskCommandOutput } from '@aws-sdk/client-ecs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { Boxes } from '../../../shared/store/boxes.ts';
import { NotStarted } from '../../../shared/store/run-task-answers.ts';

const ecs = mockClient(ECSClient);
const boxes = new Boxes(new ECSClient({ region: 'us-east-1' }), 'cluster', {
  subnets: ['subnet-1'],
  securityGroups: ['sg-1'],
  assignPublicIp: false,
});
const run = () => boxes.run('gates', 'family', 'T1/1/gates/1', 'https://s3.test/assignment');
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
    await expect(run()).rejects.toMatchObject({ name: 'NotStarted', kind: 'capacity', message: reason });
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
    await expect(run()).rejects.toThrow(new NotStarted('unknown', 'no reason was given'));
  });
});

it('a box that was started before, with another URL, is started', async () => {
  error('ConflictException');
  await expect(run()).resolves.toBeUndefined();
});
