import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRouteClient, createApiRouteClient } from '../../cli/client.ts';
import { type LocalStack, spawnLocalStack } from '../../cli/local-stack.ts';
import type { TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import { readCpuSeconds, readProcessTreeCpuSeconds, readResidentMb } from './process-usage.ts';
import type { ResultSection } from './result-page.ts';
import { createEmptyRepository } from './stack.ts';
import { createStackControl, type StackControl } from './stack-control.ts';
import { median } from './statistics.ts';
import { buildNoopTask } from './task-latency.ts';

/** Requests that are measured together: the kernel counts CPU time in hundredths of a second. */
const BATCH = 25;
const BATCHES = 16;
/** Of them, before what is compiled while it runs is compiled. */
const COLD = 4;
const TASKS = 26;

interface RequestCpu {
  /** Milliseconds of one request, with all that follows from it: of the first, and the median of the others. */
  readonly cold_ms: number;
  readonly warm_ms: number;
}

export interface EmbeddedStackResult {
  readonly submit: RequestCpu;
  readonly claim: RequestCpu;
  /** CPU of a task that does nothing, in milliseconds: of the stack's own process, and of it and its boxes. */
  readonly task: { readonly own_ms: number; readonly all_ms: number };
  readonly memory_mb: Readonly<Record<'ready' | 'first' | 'last', number>>;
}

/** Nobody but who claims it works on it. */
const externalTask = (id: string): TaskSubmissionInput => ({
  id,
  title: 'Wait for somebody',
  repository: 'https://example.com/nothing.git',
  // A whole id: nobody has to ask the repository, which is not there.
  base_ref: '1'.repeat(40),
  runner: 'external',
  role: 'backend',
});

async function withStack<T>(use: (stack: LocalStack, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  const stack = await spawnLocalStack({ dataDir: join(folder, 'state') });
  try {
    return await use(stack, folder);
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const clientOf = ({ connection }: LocalStack): ApiRouteClient =>
  createApiRouteClient({ ...connection, source: 'the bench' });

/** CPU milliseconds of each of as many requests, and of all that follows. */
async function eachOf(
  pid: number,
  { processPendingWork }: StackControl,
  send: (index: number) => Promise<unknown>,
): Promise<number> {
  const before = readCpuSeconds(pid);
  for (let index = 0; index < BATCH; index++) await send(index);
  await processPendingWork();
  return ((readCpuSeconds(pid) - before) * 1_000) / BATCH;
}

const cpuOf = (batches: readonly number[]): RequestCpu => ({
  cold_ms: batches[0] ?? Number.NaN,
  warm_ms: median(batches.slice(COLD)),
});

const measureRequests = () =>
  withStack(async (stack) => {
    const client = clientOf(stack);
    const control = createStackControl(stack.connection);
    const { pid } = stack.connection;
    await control.processPendingWork();
    const submits: number[] = [];
    const claims: number[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      const task = (index: number) => ({ body: externalTask(`external-${batch}-${index}`) });
      submits.push(await eachOf(pid, control, (index) => client.submitTask(task(index))));
      claims.push(await eachOf(pid, control, () => client.claimNext({ role: 'backend', body: {} })));
    }
    return { submit: cpuOf(submits), claim: cpuOf(claims) };
  });

const measureTasks = () =>
  withStack(async (stack, folder) => {
    const client = clientOf(stack);
    const control = createStackControl(stack.connection);
    const { pid } = stack.connection;
    const repository = createEmptyRepository(folder);
    const ready = readResidentMb(pid);
    const work = async (id: string): Promise<void> => {
      await client.submitTask({ body: buildNoopTask(repository, id) });
      await control.waitForExecutions([`${id}`]);
    };
    await work('first');
    const first = readResidentMb(pid);
    await control.processPendingWork();
    const [own, all] = [readCpuSeconds(pid), readProcessTreeCpuSeconds(pid)];
    for (let index = 1; index < TASKS; index++) await work(`task-${index}`);
    await control.processPendingWork();
    const each = (seconds: number): number => (seconds * 1_000) / (TASKS - 1);
    return {
      task: { own_ms: each(readCpuSeconds(pid) - own), all_ms: each(readProcessTreeCpuSeconds(pid) - all) },
      memory_mb: { ready, first, last: readResidentMb(pid) },
    };
  });

/** What the embedded stack takes of a machine: CPU time, which says something on a busy machine too, and memory. */
export async function benchEmbeddedStack(say: (line: string) => void): Promise<EmbeddedStackResult> {
  say(`${BATCH * BATCHES} submissions and as many claims`);
  const requests = await measureRequests();
  say(`${TASKS} tasks that do nothing, one after the other`);
  return { ...requests, ...(await measureTasks()) };
}

export function renderEmbeddedStackSections({
  submit,
  claim,
  task,
  memory_mb: memory,
}: EmbeddedStackResult): ResultSection[] {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const mb = (value: number): string => `${value.toFixed(0)} MB`;
  return [
    [
      `CPU of one request and all that follows from it (median of ${BATCHES - COLD} times ${BATCH}, after ${BATCH * COLD})`,
      [
        ['request', 'each', `each of the first ${BATCH}`],
        ['submit', ms(submit.warm_ms), ms(submit.cold_ms)],
        ['claim', ms(claim.warm_ms), ms(claim.cold_ms)],
      ],
    ],
    [
      `CPU of a task that does nothing (mean of ${TASKS - 1}, after the first)`,
      [
        ['of', 'a task'],
        ["the stack's own process", ms(task.own_ms)],
        ['its boxes and their commands', ms(task.all_ms - task.own_ms)],
        ['all', ms(task.all_ms)],
      ],
    ],
    [
      "Resident memory of the stack's own process",
      [
        ['when', 'memory'],
        ['as soon as it answers', mb(memory.ready)],
        ['after the first task', mb(memory.first)],
        [`after ${TASKS} tasks`, mb(memory.last)],
      ],
    ],
  ];
}
