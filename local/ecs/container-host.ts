import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Stoppable } from '../shared-types.ts';
import type { Container, ContainerOptions } from './container.ts';

export type ContainerHostRequest =
  | { readonly kind: 'start'; readonly id: string; readonly options: Omit<ContainerOptions, 'onLine'> }
  | { readonly kind: 'stop'; readonly id: string; readonly graceMs: number; readonly isGone: boolean };

export type ContainerHostEvent =
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly message: string }
  | { readonly kind: 'line'; readonly id: string; readonly line: string }
  | { readonly kind: 'exited'; readonly id: string; readonly code: number };

/** Exit code of a container that was killed (128 + SIGKILL). */
const KILLED = 137;

interface Hosted {
  started(): void;
  failed(error: Error): void;
  exited(code: number): void;
  readonly onLine: (line: string) => void;
}

/**
 * Starts containers from a small process: in one with as much memory as the stack, starting a child blocks
 * for tens of milliseconds.
 */
export interface ContainerHost extends Stoppable {
  /** See container.ts. */
  startContainer(options: ContainerOptions): Promise<Container>;
}

export function createContainerHost(): ContainerHost {
  const hosted = new Map<string, Hosted>();
  let host: ChildProcess | null = launch();

  function launch(): ChildProcess {
    const child = fork(new URL('./container-host-process.ts', import.meta.url), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (message: ContainerHostEvent) => receive(message));
    child.on('error', (error) => end(error));
    child.on('exit', () => end(new Error('the process that starts containers has ended')));
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** Keeps this process alive while a container runs, as a child of its own would. */
  function updateRef(): void {
    if (hosted.size > 0) host?.channel?.ref();
    else host?.channel?.unref();
  }

  /** The containers end with the host process. The next container starts a new one. */
  function end(error: Error): void {
    host = null;
    for (const container of hosted.values()) {
      container.failed(error);
      container.exited(KILLED);
    }
    hosted.clear();
  }

  function receive(message: ContainerHostEvent): void {
    const container = hosted.get(message.id);
    if (message.kind === 'line') container?.onLine(message.line);
    else if (message.kind === 'started') container?.started();
    else {
      hosted.delete(message.id);
      updateRef();
      if (message.kind === 'exited') container?.exited(message.code);
      else container?.failed(new Error(message.message));
    }
  }

  const post = (message: ContainerHostRequest): void => {
    host ??= launch();
    host.send(message);
  };

  return {
    async startContainer({ onLine, ...options }) {
      const id = randomUUID();
      const started = Promise.withResolvers<void>();
      const exited = Promise.withResolvers<number>();
      hosted.set(id, { onLine, started: started.resolve, failed: started.reject, exited: exited.resolve });
      post({ kind: 'start', id, options });
      updateRef();
      await started.promise;
      return {
        exitCode: exited.promise,
        stop: (graceMs, isGone = false) => post({ kind: 'stop', id, graceMs, isGone }),
      };
    },
    async stop() {
      host?.disconnect();
    },
  };
}
