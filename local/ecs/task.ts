import { randomUUID } from 'node:crypto';
import type { BusEvent } from '../shared-types.ts';
import type { Container } from './container.ts';
import type { RunTaskRequest } from './run-task-request.ts';
import type { TaskDefinition } from './task-definitions.ts';

/** A task: pending, running, or stopped with an exit code. Times are milliseconds since 1970. */
export interface EcsTask {
  readonly id: string;
  readonly arn: string;
  readonly clusterArn: string;
  readonly definition: TaskDefinition;
  readonly request: RunTaskRequest;
  readonly createdAt: number;
  lastStatus: 'PENDING' | 'RUNNING' | 'STOPPED';
  desiredStatus: 'RUNNING' | 'STOPPED';
  startedAt: number | undefined;
  stoppedAt: number | undefined;
  stopCode: string | undefined;
  stoppedReason: string | undefined;
  exitCode: number | undefined;
  version: number;
  container: Container | undefined;
  /** Resolves when the task has stopped. */
  ended: Promise<void>;
}

export function createEcsTask(
  clusterArn: string,
  definition: TaskDefinition,
  request: RunTaskRequest,
): EcsTask {
  const id = randomUUID().replaceAll('-', '');
  return {
    id,
    arn: `${clusterArn.replace(':cluster/', ':task/')}/${id}`,
    clusterArn,
    definition,
    request,
    createdAt: Date.now(),
    lastStatus: 'PENDING',
    desiredStatus: 'RUNNING',
    startedAt: undefined,
    stoppedAt: undefined,
    stopCode: undefined,
    stoppedReason: undefined,
    exitCode: undefined,
    version: 1,
    container: undefined,
    ended: Promise.resolve(),
  };
}

/** A task as the API shows it; times in seconds since 1970. */
export function describeEcsTask(task: EcsTask, withTags = false) {
  return {
    ...view(task, (milliseconds) => milliseconds / 1_000),
    tags: withTags ? task.request.tags : [],
  };
}

/** The event that ECS puts on the default bus when a task changes its state; times as ISO 8601 text. */
export function createEcsTaskStateChangeEvent(task: EcsTask): BusEvent {
  return {
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    resources: [task.arn],
    detail: view(task, (milliseconds) => new Date(milliseconds).toISOString()),
  };
}

function view(task: EcsTask, time: (milliseconds: number) => unknown) {
  const { definition, request } = task;
  const { container } = definition;
  return {
    taskArn: task.arn,
    clusterArn: task.clusterArn,
    taskDefinitionArn: definition.arn,
    group: request.group ?? `family:${definition.family}`,
    ...(request.capacityProviderStrategy
      ? { capacityProviderName: request.capacityProviderStrategy[0]?.capacityProvider }
      : { launchType: request.launchType ?? 'FARGATE' }),
    cpu: definition.cpu,
    memory: definition.memory,
    lastStatus: task.lastStatus,
    desiredStatus: task.desiredStatus,
    version: task.version,
    overrides: request.overrides,
    createdAt: time(task.createdAt),
    containers: [
      {
        containerArn: task.arn.replace(':task/', ':container/'),
        taskArn: task.arn,
        name: container.name,
        image: container.image,
        lastStatus: task.lastStatus,
        ...(task.exitCode === undefined ? {} : { exitCode: task.exitCode }),
      },
    ],
    ...(request.startedBy === undefined ? {} : { startedBy: request.startedBy }),
    ...(task.startedAt === undefined ? {} : { startedAt: time(task.startedAt) }),
    ...(task.stoppedAt === undefined ? {} : { stoppedAt: time(task.stoppedAt) }),
    ...(task.stopCode === undefined ? {} : { stopCode: task.stopCode }),
    ...(task.stoppedReason === undefined ? {} : { stoppedReason: task.stoppedReason }),
  };
}
