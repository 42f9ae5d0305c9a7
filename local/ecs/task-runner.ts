import { mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBus } from '../shared-types.ts';
import type { ContainerHost } from './container-host.ts';
import { applyContainerOverrides } from './run-task-request.ts';
import { createEcsTaskStateChangeEvent, type EcsTask } from './task.ts';

export interface TaskRunnerOptions {
  readonly dataDir: string;
  /** Returns variables for the container of this name; those of its definition override them. */
  readonly environmentFor: (container: string) => Readonly<Record<string, string>>;
  readonly bus: EventBus;
  readonly containers: Pick<ContainerHost, 'startContainer'>;
  /** True if the programs of all definitions can be started before their container is needed. */
  readonly canStartWarm?: boolean;
  onLog(line: string): void;
}

export interface TaskRunner {
  /** Starts the container of a task and follows it until it has stopped. Never throws. */
  run(task: EcsTask): Promise<void>;
}

/** The overrides of a request that has none. */
const NONE: EcsTask['request']['overrides'] = { containerOverrides: [] };

/** Folder with the home and temporary folders of containers. */
export const getContainerScratchFolder = (dataDir: string): string => join(dataDir, 'ecs-scratch');

/** Runs tasks as child processes and sends an event for each change of state. */
export function createTaskRunner({
  dataDir,
  environmentFor,
  bus,
  containers,
  canStartWarm = false,
  onLog,
}: TaskRunnerOptions): TaskRunner {
  const logs = join(dataDir, 'ecs-logs');
  const scratch = getContainerScratchFolder(dataDir);
  for (const directory of [logs, scratch]) mkdirSync(directory, { recursive: true });
  clear(scratch).catch((error: unknown) => onLog(`${scratch} could not be cleared: ${String(error)}`));
  const change = (task: EcsTask, changes: Partial<EcsTask>) => {
    Object.assign(task, changes, { version: task.version + 1 });
    bus.put(createEcsTaskStateChangeEvent(task));
  };
  return {
    async run(task) {
      const { definition, id } = task;
      const { command, environment } = applyContainerOverrides(definition, task.request);
      const { environment: common } = applyContainerOverrides(definition, {
        ...task.request,
        overrides: NONE,
      });
      try {
        const container = await containers.startContainer({
          program: {
            directory: definition.container.directory,
            command,
            environment: { ...environmentFor(definition.container.name), ...common },
            scratch,
            canStartWarm,
          },
          environment,
          logFile: join(logs, `${id}.log`),
          onLine: (line) => onLog(`[${definition.container.name} ${id.slice(0, 8)}] ${line}`),
        });
        task.container = container;
        change(task, { lastStatus: 'RUNNING', startedAt: Date.now() });
        // StopTask was called before the container existed.
        if (task.desiredStatus === 'STOPPED') container.stop(0);
        const exitCode = await container.exitCode;
        change(task, {
          lastStatus: 'STOPPED',
          desiredStatus: 'STOPPED',
          stoppedAt: Date.now(),
          exitCode,
          stopCode: task.stopCode ?? 'EssentialContainerExited',
          stoppedReason: task.stoppedReason ?? 'Essential container in task exited',
        });
      } catch (error) {
        change(task, {
          lastStatus: 'STOPPED',
          desiredStatus: 'STOPPED',
          stoppedAt: Date.now(),
          stopCode: 'TaskFailedToStart',
          stoppedReason: `CannotStartContainerError: ${error instanceof Error ? error.message : error}`,
        });
      }
    },
  };
}

/**
 * Removes folders that a killed stack left. Its containers may still be ending, so a failure is only logged.
 */
async function clear(scratch: string): Promise<void> {
  const left = readdirSync(scratch).map((name) => join(scratch, name));
  await Promise.all(left.map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}
