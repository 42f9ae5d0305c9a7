import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventBus } from '../ports.ts';
import { startBox } from './box.ts';
import { overridden } from './request.ts';
import { stateChange, type Task } from './task.ts';

export interface RunnerOptions {
  readonly dataDir: string;
  /** Given to every container, under the environment of its definition. */
  readonly env: Readonly<Record<string, string>>;
  readonly bus: EventBus;
  onLog(line: string): void;
}

export interface Runner {
  /** Starts the container of a task and follows it until it has stopped. Never throws. */
  run(task: Task): Promise<void>;
}

/** Runs tasks as child processes and tells the bus of each change of state. */
export function createRunner({ dataDir, env, bus, onLog }: RunnerOptions): Runner {
  const logs = join(dataDir, 'ecs-logs');
  const scratch = join(dataDir, 'ecs-scratch');
  // What an earlier process left when it was killed.
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(logs, { recursive: true });
  const change = (task: Task, changes: Partial<Task>) => {
    Object.assign(task, changes, { version: task.version + 1 });
    bus.put(stateChange(task));
  };
  return {
    async run(task) {
      const { definition, id } = task;
      const { command, environment } = overridden(definition, task.request);
      try {
        const box = await startBox({
          directory: definition.container.directory,
          command,
          environment: { ...env, ...environment },
          scratch: join(scratch, id),
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
