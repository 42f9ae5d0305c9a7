import { isDeepStrictEqual } from 'node:util';
import type { UnknownRecord } from '../resource-properties.ts';
import { type ServiceAction, ServiceError } from '../service-actions.ts';
import type { InjectedFaults } from '../shared-types.ts';
import { parseRunTaskRequest } from './run-task-request.ts';
import { createEcsTask, describeEcsTask, type EcsTask } from './task.ts';
import { type EcsResources, findCluster, findTaskDefinition } from './task-definitions.ts';
import type { TaskRecord, TaskRecords } from './task-records.ts';
import type { TaskRunner } from './task-runner.ts';

/** Stopped tasks that DescribeTasks still finds. ECS shows one for about an hour. */
const MAX_STOPPED_TASKS = 1_000;

export interface EcsActionsOptions {
  readonly deployment: EcsResources;
  readonly runner: TaskRunner;
  readonly faults: InjectedFaults;
  /** Tasks that may run at once. */
  readonly capacity: number;
  /** All tasks by ARN; the actions add to it. */
  readonly tasks: Map<string, EcsTask>;
  readonly files: TaskRecords;
  /** True while the stack stops: tasks that end then are lost tasks to the next stack. */
  isStopping(): boolean;
}

export interface EcsActions {
  readonly actions: Readonly<Record<string, ServiceAction>>;
  /** Tasks that ran when an earlier stack ended. They have stopped, and no event has said so. */
  readonly lostTasks: readonly EcsTask[];
}

interface Started {
  readonly request: UnknownRecord;
  readonly task: EcsTask;
}

/** Creates the actions of the ECS API that the stack serves. */
export function createEcsActions(options: EcsActionsOptions): EcsActions {
  const { deployment, runner, faults, capacity, tasks, files } = options;
  const started = new Map<string, Started>();
  const lostTasks = files.load().flatMap((record) => {
    const task = stoppedTask(deployment, record);
    if (task === null) return [];
    tasks.set(task.arn, task);
    started.set(record.clientToken, { request: record.request, task });
    return record.stopped ? [] : [task];
  });

  /** Returns Fargate's reason for not starting a task now, or null. */
  const capacityFailure = (): string | null => {
    if (faults.runTaskCapacityFailures > 0) {
      faults.runTaskCapacityFailures -= 1;
      return 'Capacity is unavailable at this time. Please try again later or in a different availability zone';
    }
    let running = 0;
    for (const { lastStatus } of tasks.values()) if (lastStatus !== 'STOPPED') running += 1;
    return running < capacity
      ? null
      : 'You’ve reached the limit on the number of vCPUs you can run concurrently. For more information, see the Troubleshooting section of the Amazon ECS Developer Guide.';
  };
  const forgetOldest = () => {
    const stopped = [...tasks.values()].filter(({ lastStatus }) => lastStatus === 'STOPPED');
    for (const { arn, request } of stopped.slice(0, -MAX_STOPPED_TASKS)) {
      tasks.delete(arn);
      if (!request.clientToken) continue;
      started.delete(request.clientToken);
      files.forget(request.clientToken);
    }
  };
  const ofCluster = (request: UnknownRecord) => {
    const clusterArn = findCluster(deployment, request['cluster']);
    return [...tasks.values()].filter((task) => task.clusterArn === clusterArn);
  };
  const find = (request: UnknownRecord, name: unknown): EcsTask | undefined =>
    ofCluster(request).find(({ arn, id }) => name === arn || name === id);

  const actions: EcsActions['actions'] = {
    RunTask(request) {
      const clusterArn = findCluster(deployment, request['cluster']);
      const definition = findTaskDefinition(deployment, request['taskDefinition']);
      const parsed = parseRunTaskRequest(request, definition);
      const earlier = parsed.clientToken === undefined ? undefined : started.get(parsed.clientToken);
      if (earlier) {
        if (isDeepStrictEqual(earlier.request, request)) return ran(earlier.task);
        throw new ServiceError(
          'ConflictException',
          'The provided clientToken is already in use with a different RunTask request.',
          { resourceIds: [earlier.task.arn] },
        );
      }
      if (parsed.clientToken !== undefined && files.isDamaged(parsed.clientToken))
        throw new ServiceError(
          'ConflictException',
          'The provided clientToken was used for a task whose record is damaged.',
          { resourceIds: [] },
        );
      const reason = capacityFailure();
      if (reason !== null) return { tasks: [], failures: [{ reason }] };
      const task = createEcsTask(clusterArn, definition, parsed);
      const { clientToken } = parsed;
      const record = clientToken === undefined ? null : { ...task, clientToken, request, stopped: false };
      if (record !== null) save(files, record);
      tasks.set(task.arn, task);
      if (clientToken !== undefined) started.set(clientToken, { request, task });
      task.ended = runner.run(task).then(() => {
        if (record !== null && !options.isStopping()) save(files, { ...record, stopped: true });
        forgetOldest();
      });
      return ran(task);
    },
    DescribeTasks(request) {
      const names = list(request, 'tasks');
      const include = Array.isArray(request['include']) ? request['include'] : [];
      const found = names.map((name) => ({ name, task: find(request, name) }));
      return {
        tasks: found.flatMap(({ task }) => (task ? [describeEcsTask(task, include.includes('TAGS'))] : [])),
        failures: found.flatMap(({ name, task }) => (task ? [] : [{ arn: name, reason: 'MISSING' }])),
      };
    },
    StopTask(request) {
      const task = find(request, request['task']);
      if (!task) {
        throw new ServiceError('InvalidParameterException', 'The referenced task was not found.');
      }
      if (task.desiredStatus === 'RUNNING') {
        task.desiredStatus = 'STOPPED';
        task.stopCode = 'UserInitiated';
        task.stoppedReason =
          typeof request['reason'] === 'string' ? request['reason'] : 'Task stopped by user';
        task.container?.stop(task.definition.container.stopTimeoutSeconds * 1_000);
      }
      return { task: describeEcsTask(task) };
    },
    ListTasks(request) {
      const { family, startedBy } = request;
      const desiredStatus = request['desiredStatus'] ?? 'RUNNING';
      const found = ofCluster(request).filter(
        (task) =>
          task.desiredStatus === desiredStatus &&
          (family === undefined || task.definition.family === family) &&
          (startedBy === undefined || task.request.startedBy === startedBy),
      );
      const start = Number(request['nextToken'] ?? 0);
      const size = Number(request['maxResults'] ?? 100);
      return {
        taskArns: found.slice(start, start + size).map(({ arn }) => arn),
        ...(start + size < found.length ? { nextToken: String(start + size) } : {}),
      };
    },
  };
  return { actions, lostTasks };
}

const save = (files: TaskRecords, record: TaskRecord): void => {
  const { clientToken, request, id, arn, createdAt, stopped } = record;
  files.save({ clientToken, request, id, arn, createdAt, stopped });
};

/**
 * Restores a stopped task of an earlier stack; null if the template no longer has its definition or cluster.
 */
function stoppedTask(deployment: EcsResources, { request, id, arn, createdAt }: TaskRecord): EcsTask | null {
  try {
    const definition = findTaskDefinition(deployment, request['taskDefinition']);
    const clusterArn = findCluster(deployment, request['cluster']);
    return {
      ...createEcsTask(clusterArn, definition, parseRunTaskRequest(request, definition)),
      id,
      arn,
      createdAt,
      lastStatus: 'STOPPED',
      desiredStatus: 'STOPPED',
      stoppedAt: Date.now(),
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'The machine that it ran on has ended',
      exitCode: 137,
      version: 2,
    };
  } catch {
    return null;
  }
}

function ran(task: EcsTask) {
  return { tasks: [describeEcsTask(task, true)], failures: [] };
}

function list(request: UnknownRecord, key: string): readonly unknown[] {
  const value = request[key];
  if (Array.isArray(value) && value.length > 0) return value;
  throw new ServiceError('InvalidParameterException', `${key} can not be empty.`);
}
