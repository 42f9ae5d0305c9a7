import { join } from 'node:path';
import { runServiceAction, type ServiceAnswer } from '../service-actions.ts';
import type {
  EventBus,
  InjectedFaults,
  OperationCounters,
  ResolvedResource,
  Stoppable,
} from '../shared-types.ts';
import { createEcsActions } from './actions.ts';
import { createContainerHost } from './container-host.ts';
import { createEcsTaskStateChangeEvent, type EcsTask } from './task.ts';
import { readEcsResources } from './task-definitions.ts';
import { openTaskRecords } from './task-records.ts';
import { createTaskRunner } from './task-runner.ts';

/** Milliseconds that containers get to end when the stack stops, whatever their StopTimeout. */
const STOP_GRACE_MS = 3_000;

export interface EcsOptions {
  readonly resources: readonly ResolvedResource[];
  /** Returns the directory of the image asset with this URI, or null. */
  imageDirectory(imageUri: unknown): string | null;
  readonly dataDir: string;
  readonly counters: OperationCounters;
  readonly faults: InjectedFaults;
  readonly bus: EventBus;
  /** Returns variables for the container of this name; those of its definition override them. */
  readonly environmentFor: (container: string) => Readonly<Record<string, string>>;
  /** Tasks that may run at once. */
  readonly capacity: number;
  /** See task-runner.ts. */
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
 * Creates ECS for the task definitions of a template: each task is a child process and ends with this one.
 * @throws Error if a task definition has a property that is not supported.
 */
export function createEcs(options: EcsOptions): Ecs {
  const tasks = new Map<string, EcsTask>();
  const containers = createContainerHost();
  let stopping = false;
  const bus: EventBus = {
    // While the stack stops, no function can receive events. The next start sends those of lost tasks.
    put: (event) => (stopping ? undefined : options.bus.put(event)),
  };
  const { actions, lostTasks } = createEcsActions({
    deployment: readEcsResources(options),
    runner: createTaskRunner({ ...options, onLog: (line) => options.onLog(line), bus, containers }),
    faults: options.faults,
    capacity: options.capacity,
    tasks,
    files: openTaskRecords(join(options.dataDir, 'ecs-tasks'), (message) => options.onError(message)),
    isStopping: () => stopping,
  });
  for (const task of lostTasks) bus.put(createEcsTaskStateChangeEvent(task));
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
