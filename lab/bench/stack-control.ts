import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import type { ConnectionFile } from '../../cli/connection.ts';

/** The embedded stack's own interface, which is no part of the product: it counts, and says where executions have ended. */
export interface StackControl {
  reset(): Promise<void>;
  /** Makes everything that follows from the writes so far happen now. */
  processPendingWork(): Promise<void>;
  readCallCounts(): Promise<Record<string, Record<string, number>>>;
  /** Waits until the cascade of each task has ended. */
  waitForExecutions(taskIds: readonly string[]): Promise<void>;
}

const Counters = z.record(z.string(), z.record(z.string(), z.number()));
const Executions = z.array(z.object({ name: z.string(), status: z.string(), state: z.string().nullable() }));
/** The state of the cascade in which nothing is left to do for a task. */
const LAST = 'Ended';

/** How often the emulation is asked, in milliseconds: it costs it next to nothing, and the figures come from timestamps. */
const INTERVAL = 20;
const PATIENCE = 300_000;

export function createStackControl({
  control_url,
  secret_access_key,
}: Pick<ConnectionFile, 'control_url' | 'secret_access_key'>): StackControl {
  const call = async (method: 'GET' | 'POST', path: string): Promise<unknown> => {
    const response = await fetch(new URL(`/_assay/${path}`, control_url), {
      method,
      headers: { authorization: `Bearer ${secret_access_key}` },
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    const body = await response.text();
    return body === '' ? undefined : JSON.parse(body);
  };
  return {
    reset: async () => {
      await call('POST', 'counters/reset');
    },
    processPendingWork: async () => {
      await call('POST', 'drain');
    },
    readCallCounts: async () => Counters.parse(await call('GET', 'counters')),
    waitForExecutions: async (taskIds) => {
      const wanted = new Set(taskIds.map((id) => `${id}-r1`));
      const labelOf = (name: string): string => name.slice(0, name.lastIndexOf('-'));
      const until = Date.now() + PATIENCE;
      for (;;) {
        const executions = Executions.parse(await call('GET', 'executions'));
        const ended = new Set(
          executions.flatMap(({ name, status, state }) =>
            wanted.has(labelOf(name)) && status !== 'RUNNING' && state === LAST ? [labelOf(name)] : [],
          ),
        );
        if (ended.size === wanted.size) return;
        if (Date.now() > until) throw new Error(`${wanted.size - ended.size} cascades have not ended`);
        await setTimeout(INTERVAL);
      }
    },
  };
}
