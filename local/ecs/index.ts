import { join } from 'node:path';
import type { Counters, EventBus, Faults, ResolvedResource, Stoppable } from '../interfaces.ts';
import { runServiceAction, type ServiceAnswer } from '../service-actions.ts';
import { createActions } from './actions.ts';
import { createContainerHost } from './container-host.ts';
import { type Task, taskStateChangeEvent } from './task.ts';
import { readDeployment } from './task-definitions.ts';
import { openTaskRecords } from './task-records.ts';
import { createTaskRunner } from './task-runner.ts';

/** Time in milliseconds that boxes get to end when the stack stops, whatever their own StopTimeout. */
const STOP_GRACE_MS = 3_000;

export interface EcsOptions {
  readonly resources: readonly ResolvedResource[];
  /** Directory of the image asset that an image URI names, or null. */
  imageDirectory(imageUri: unknown): string | null;
  readonly dataDir: string;
  readonly counters: Counters;
  readonly faults: Faults;
  readonly bus: EventBus;
  /** Given to the container of this name, under the environment of its definition. */
  readonly environmentFor: (container: string) => Readonly<Record<string, string>>;
  /** Most tasks that run at once. */
  readonly capacity: number;
  /** See runner.ts. */
  readonly canStartWarm?: boolean;
  onLog(line: string): void;
  onError(message: string): void;
  readonly accountId: string;
  readonly region: string;
}

export interface Ecs extends Stoppable {
  /** Serves an action of `AmazonEC2ContainerServiceV20141113` (JSON protocol 1.1). */
  handle(action: string, body: unknown): Promise<ServiceAnswer>;
}

/**
 * ECS for the task definitions of a template: each task is a child process of this one and ends with it. Throws at once
 * when a container needs what this machine cannot give it.
 */
export function createEcs(options: EcsOptions): Ecs {
  const tasks = new Map<string, Task>();
  const containers = createContainerHost();
  let stopping = false;
  const bus: EventBus = {
    // When the stack stops, nobody is left to hear of it; the next start finds out.
    put: (event) => (stopping ? undefined : options.bus.put(event)),
  };
  const { actions, lostTasks } = createActions({
    deployment: readDeployment(options),
    runner: createTaskRunner({ ...options, onLog: (line) => options.onLog(line), bus, containers }),
    faults: options.faults,
    capacity: options.capacity,
    tasks,
    files: openTaskRecords(join(options.dataDir, 'ecs-tasks'), (message) => options.onError(message)),
    isStopping: () => stopping,
  });
  for (const task of lostTasks) bus.put(taskStateChangeEvent(task));
  return {
    handle: (action, body) => runServiceAction('ecs', actions, action, body, options.counters),
    async stop() {
      stopping = true;
      for (const task of tasks.values()) {
        task.desiredStatus = 'STOPPED';
        task.container?.stop(STOP_GRACE_MS, true);
      }
      await Promise.all([...tasks.values()].map(({ ended }) => ended));
      await containers.stop();
    },
  };
}
