/** The process that starts the boxes: small, so that it can do so quickly, and gone as soon as the stack is. */
import { createAhead } from './ahead.ts';
import { type Box, startBox } from './box.ts';
import type { FromHost, ToHost } from './box-host.ts';

const boxes = new Map<string, Box>();
const ahead = createAhead();
const post = (message: FromHost): void => {
  if (process.connected) process.send?.(message);
};

async function start({ id, options }: Extract<ToHost, { kind: 'start' }>): Promise<void> {
  try {
    const box = await startBox(
      { ...options, onLine: (line) => post({ kind: 'line', id, line }) },
      await ahead.begins(options.program),
    );
    boxes.set(id, box);
    post({ kind: 'started', id });
    const code = await box.exitCode;
    boxes.delete(id);
    post({ kind: 'exited', id, code });
  } catch (error) {
    post({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
  ahead.ended(options.program);
}

process.on('message', (message: ToHost) => {
  if (message.kind === 'start') void start(message);
  else boxes.get(message.id)?.stop(message.graceMs, message.isGone);
});
// With this process, the pipes end that the boxes live by.
process.on('disconnect', () => void ahead.stop().finally(() => process.exit(0)));
// A terminal signals all of its processes; it is the stack that says what becomes of the boxes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
