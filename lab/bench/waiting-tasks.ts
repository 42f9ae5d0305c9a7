import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ApiRouteClient, createApiRouteClient } from '../../cli/client.ts';
import { spawnLocalStack } from '../../cli/local-stack.ts';
import type { TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import type { CallCounts } from './aws-bill.ts';
import { readCpuSeconds } from './process-usage.ts';
import type { ResultSection } from './result-page.ts';
import { createStackControl } from './stack-control.ts';

/** How many tasks wait. */
const WAITING = [100, 1_000, 10_000] as const;
/** Minutes that are looked at, for each. */
const MINUTES = 2;
/** What follows from a task's submission is looked at once more two minutes later: that is no part of waiting. */
const REST_MS = 180_000;
const BATCH = 100;
const MOST_DRAINS = 60;

export interface WaitingTasksResult {
  readonly rows: readonly {
    readonly waiting: number;
    /** Of all services together, in a minute. */
    readonly requests: CallCounts;
    readonly cpu_s: number;
    /** Requests to the table, and its read units, for one `GET /status`. */
    readonly status: { readonly requests: number; readonly read_units: number };
  }[];
}

/** One that an outside agent may claim, and one that waits for it, in turn. */
const waitingTask = (index: number): TaskSubmissionInput => ({
  id: `waiting-${index}`,
  title: 'Wait',
  repository: 'https://example.com/nothing.git',
  // A whole id: nobody has to ask the repository, which is not there.
  base_ref: '1'.repeat(40),
  runner: 'external',
  ...(index % 2 === 1 ? { depends_on: [`waiting-${index - 1}`] } : {}),
});

async function submit(client: ApiRouteClient, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += BATCH) {
    const tasks = Array.from({ length: Math.min(BATCH, to - index) }, (_, each) => waitingTask(index + each));
    await client.submitBatch({ body: { tasks } });
  }
}

/** Waits until nothing follows any more from what was submitted: one drain gives up after half a minute. */
async function settled(drain: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await drain();
      return;
    } catch (error) {
      if (tries === MOST_DRAINS) throw error;
    }
  }
}

const each = (snapshot: CallCounts, share: (amount: number) => number): CallCounts =>
  Object.fromEntries(
    Object.entries(snapshot).map(([service, operations]) => [
      service,
      Object.fromEntries(Object.entries(operations).map(([name, amount]) => [name, share(amount)])),
    ]),
  );

/** What tasks that merely wait cost: requests and CPU time in a minute in which nothing happens. */
export async function benchWaitingTasks(say: (line: string) => void): Promise<WaitingTasksResult> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  const rows: WaitingTasksResult['rows'][number][] = [];
  const stack = await spawnLocalStack({ dataDir: join(folder, 'state') });
  try {
    const client = createApiRouteClient({ ...stack.connection, source: 'the bench' });
    const control = createStackControl(stack.connection);
    let there = 0;
    for (const waiting of WAITING) {
      say(`${waiting} tasks that wait`);
      await submit(client, there, waiting);
      there = waiting;
      await settled(control.processPendingWork);
      await control.reset();
      await client.status({});
      const { DynamoDB: asked = {} } = await control.readCallCounts();
      const status = {
        requests: (asked['Query'] ?? 0) + (asked['Scan'] ?? 0),
        read_units: asked['ReadUnits'] ?? 0,
      };
      await setTimeout(REST_MS);
      await control.reset();
      const before = readCpuSeconds(stack.connection.pid);
      await setTimeout(MINUTES * 60_000);
      const cpu = (readCpuSeconds(stack.connection.pid) - before) / MINUTES;
      const counted = each(await control.readCallCounts(), (amount) => amount / MINUTES);
      rows.push({ waiting, requests: counted, cpu_s: cpu, status });
    }
    return { rows };
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function renderWaitingTasksSections({ rows }: WaitingTasksResult): ResultSection[] {
  const of = (snapshot: CallCounts, service: string, name: string): string =>
    (snapshot[service]?.[name] ?? 0).toFixed(1);
  const sum = (snapshot: CallCounts, service: string): string =>
    Object.entries(snapshot[service] ?? {})
      .filter(([name]) => !name.endsWith('Units'))
      .reduce((total, [, amount]) => total + amount, 0)
      .toFixed(1);
  return [
    [
      'A minute in which tasks wait: open for outside agents, and blocked by them',
      [
        [
          'waiting',
          'table requests',
          'read units',
          'write units',
          'Lambda invocations',
          'executions',
          'CPU of the embedded stack',
        ],
        ...rows.map(({ waiting, requests, cpu_s }) => [
          String(waiting),
          sum(requests, 'DynamoDB'),
          of(requests, 'DynamoDB', 'ReadUnits'),
          of(requests, 'DynamoDB', 'WriteUnits'),
          of(requests, 'Lambda', 'Invocations'),
          of(requests, 'states', 'StartExecution'),
          `${cpu_s.toFixed(2)} s`,
        ]),
      ],
    ],
    [
      'GET /status beside them',
      [
        ['waiting', 'queries', 'read units'],
        ...rows.map(({ waiting, status }) => [
          String(waiting),
          String(status.requests),
          status.read_units.toFixed(1),
        ]),
      ],
    ],
  ];
}
