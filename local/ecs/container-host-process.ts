/** The process that starts containers: small, so that it starts them quickly. It ends when the stack ends. */

import { type Container, startContainer } from './container.ts';
import type { ContainerHostEvent, ContainerHostRequest } from './container-host.ts';
import { createWarmContainerPool } from './warm-pool.ts';

const containers = new Map<string, Container>();
const warmPool = createWarmContainerPool();
const post = (message: ContainerHostEvent): void => {
  if (process.connected) process.send?.(message);
};

async function start({ id, options }: Extract<ContainerHostRequest, { kind: 'start' }>): Promise<void> {
  try {
    const container = await startContainer(
      { ...options, onLine: (line) => post({ kind: 'line', id, line }) },
      await warmPool.take(options.program),
    );
    containers.set(id, container);
    post({ kind: 'started', id });
    const code = await container.exitCode;
    containers.delete(id);
    post({ kind: 'exited', id, code });
  } catch (error) {
    post({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
  warmPool.containerEnded(options.program);
}

process.on('message', (message: ContainerHostRequest) => {
  if (message.kind === 'start') void start(message);
  else containers.get(message.id)?.stop(message.graceMs, message.isGone);
});
// Containers end when their standard input does, and that ends with this process.
process.on('disconnect', () => void warmPool.stop().finally(() => process.exit(0)));
// A terminal sends its signals to this process too, but the stack decides when containers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
