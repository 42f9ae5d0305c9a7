/** The process that starts the boxes: small, so that it can do so quickly, and gone as soon as the stack is. */

import { type Container, startContainer } from './container.ts';
import type { HostEvent, HostRequest } from './container-host.ts';
import { createWarmPool } from './warm-pool.ts';

const boxes = new Map<string, Container>();
const ahead = createWarmPool();
const post = (message: HostEvent): void => {
  if (process.connected) process.send?.(message);
};

async function start({ id, options }: Extract<HostRequest, { kind: 'start' }>): Promise<void> {
  try {
    const box = await startContainer(
      { ...options, onLine: (line) => post({ kind: 'line', id, line }) },
      await ahead.take(options.program),
    );
    boxes.set(id, box);
    post({ kind: 'started', id });
    const code = await box.exitCode;
    boxes.delete(id);
    post({ kind: 'exited', id, code });
  } catch (error) {
    post({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
  ahead.containerEnded(options.program);
}

process.on('message', (message: HostRequest) => {
  if (message.kind === 'start') void start(message);
  else boxes.get(message.id)?.stop(message.graceMs, message.isGone);
});
// With this process, the pipes end that the boxes live by.
process.on('disconnect', () => void ahead.stop().finally(() => process.exit(0)));
// A terminal signals all of its processes; it is the stack that says what becomes of the boxes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
