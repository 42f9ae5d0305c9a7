import { join } from 'node:path';
import type { Counters, EventBus, Faults, ResolvedResource, Running } from '../ports.ts';
import { answer, type ServiceAnswer } from '../service-error.ts';
import { createActions } from './actions.ts';
import { createBoxHost } from './box-host.ts';
import { deploy } from './definitions.ts';
import { createRunner } from './runner.ts';
import { stateChange, type Task } from './task.ts';
import { openTaskFiles } from './task-files.ts';

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
  readonly envOf: (container: string) => Readonly<Record<string, string>>;
  /** Most tasks that run at once. */
  readonly capacity: number;
  /** See runner.ts. */
  readonly startsAhead?: boolean;
  onLog(line: string): void;
  onError(message: string): void;
  readonly accountId: string;
  readonly region: string;
}

export interface Ecs extends Running {
  /** Serves an action of `AmazonEC2ContainerServiceV20141113` (JSON protocol 1.1). */
  handle(action: string, body: unknown): Promise<ServiceAnswer>;
}

/**
 * ECS for the task definitions of a template: each task is a child process of this one and ends with it. Throws at once
 * when a container needs what this machine cannot give it.
 */
export function createEcs(options: EcsOptions): Ecs {
  const tasks = new Map<string, Task>();
  const boxes = createBoxHost();
  let stopping = false;
  const bus: EventBus = {
    // When the stack stops, nobody is left to hear of it; the next start finds out.
    put: (event) => (stopping ? undefined : options.bus.put(event)),
  };
  const { actions, lost } = createActions({
    deployment: deploy(options),
    runner: createRunner({ ...options, onLog: (line) => options.onLog(line), bus, boxes }),
    faults: options.faults,
    capacity: options.capacity,
    tasks,
    files: openTaskFiles(join(options.dataDir, 'ecs-tasks'), (message) => options.onError(message)),
    isStopping: () => stopping,
  });
  for (const task of lost) bus.put(stateChange(task));
  return {
    handle: (action, body) => answer('ecs', actions, action, body, options.counters),
    async stop() {
      stopping = true;
      for (const task of tasks.values()) {
        task.desiredStatus = 'STOPPED';
        task.box?.stop(STOP_GRACE_MS, true);
      }
      await Promise.all([...tasks.values()].map(({ ended }) => ended));
      await boxes.stop();
    },
  };
}
