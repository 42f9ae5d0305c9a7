import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Stoppable } from '../interfaces.ts';
import type { Container, ContainerOptions } from './container.ts';

export type HostRequest =
  | { readonly kind: 'start'; readonly id: string; readonly options: Omit<ContainerOptions, 'onLine'> }
  | { readonly kind: 'stop'; readonly id: string; readonly graceMs: number; readonly isGone: boolean };

export type HostEvent =
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly message: string }
  | { readonly kind: 'line'; readonly id: string; readonly line: string }
  | { readonly kind: 'exited'; readonly id: string; readonly code: number };

/** Exit code of a box that was killed (128 + SIGKILL). */
const KILLED = 137;

interface Hosted {
  started(): void;
  failed(error: Error): void;
  exited(code: number): void;
  readonly onLine: (line: string) => void;
}

/**
 * Starts boxes from a small process beside this one: starting a child costs tens of milliseconds in a process with as much memory as
 * a stack has, and nothing else can happen meanwhile.
 */
export interface ContainerHost extends Stoppable {
  /** As `startBox` of box.ts. */
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
    child.on('message', (message: HostEvent) => receive(message));
    child.on('error', (error) => end(error));
    child.on('exit', () => end(new Error('the process that starts boxes has ended')));
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** As with children of its own, this process does not end by itself while a box runs. */
  function holdOn(): void {
    if (hosted.size > 0) host?.channel?.ref();
    else host?.channel?.unref();
  }

  /** Without the process there are no boxes; the next one gets a new process. */
  function end(error: Error): void {
    host = null;
    for (const box of hosted.values()) {
      box.failed(error);
      box.exited(KILLED);
    }
    hosted.clear();
  }

  function receive(message: HostEvent): void {
    const box = hosted.get(message.id);
    if (message.kind === 'line') box?.onLine(message.line);
    else if (message.kind === 'started') box?.started();
    else {
      hosted.delete(message.id);
      holdOn();
      if (message.kind === 'exited') box?.exited(message.code);
      else box?.failed(new Error(message.message));
    }
  }

  const post = (message: HostRequest): void => {
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
      holdOn();
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
