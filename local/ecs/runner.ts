import { mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBus } from '../ports.ts';
import type { BoxHost } from './box-host.ts';
import { overridden } from './request.ts';
import { stateChange, type Task } from './task.ts';

export interface RunnerOptions {
  readonly dataDir: string;
  /** Given to the container of this name, under the environment of its definition. */
  readonly envOf: (container: string) => Readonly<Record<string, string>>;
  readonly bus: EventBus;
  readonly boxes: Pick<BoxHost, 'startBox'>;
  /** The programs of all definitions know how to be started before there is anything for them to do. */
  readonly startsAhead?: boolean;
  onLog(line: string): void;
}

export interface Runner {
  /** Starts the container of a task and follows it until it has stopped. Never throws. */
  run(task: Task): Promise<void>;
}

/** The overrides of a request that has none. */
const NONE: Task['request']['overrides'] = { containerOverrides: [] };

/** Where boxes have their home and temporary folders. */
export const scratchFolder = (dataDir: string): string => join(dataDir, 'ecs-scratch');

/** Runs tasks as child processes and tells the bus of each change of state. */
export function createRunner({
  dataDir,
  envOf,
  bus,
  boxes,
  startsAhead = false,
  onLog,
}: RunnerOptions): Runner {
  const logs = join(dataDir, 'ecs-logs');
  const scratch = scratchFolder(dataDir);
  for (const directory of [logs, scratch]) mkdirSync(directory, { recursive: true });
  clear(scratch).catch((error: unknown) => onLog(`${scratch} could not be cleared: ${String(error)}`));
  const change = (task: Task, changes: Partial<Task>) => {
    Object.assign(task, changes, { version: task.version + 1 });
    bus.put(stateChange(task));
  };
  return {
    async run(task) {
      const { definition, id } = task;
      const { command, environment } = overridden(definition, task.request);
      const { environment: common } = overridden(definition, { ...task.request, overrides: NONE });
      try {
        const box = await boxes.startBox({
          program: {
            directory: definition.container.directory,
            command,
            environment: { ...envOf(definition.container.name), ...common },
            scratch,
            startsAhead,
          },
          environment,
          logFile: join(logs, `${id}.log`),
          onLine: (line) => onLog(`[${definition.container.name} ${id.slice(0, 8)}] ${line}`),
        });
        task.box = box;
        change(task, { lastStatus: 'RUNNING', startedAt: Date.now() });
        // StopTask came before there was anything to stop.
        if (task.desiredStatus === 'STOPPED') box.stop(0);
        const exitCode = await box.exitCode;
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

/** Removes what an earlier process left when it was killed. Its boxes may still be ending, so that nothing depends on it. */
async function clear(scratch: string): Promise<void> {
  const left = readdirSync(scratch).map((name) => join(scratch, name));
  await Promise.all(left.map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}
