import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiRouteClient } from '../../cli/client.ts';
import { createDemoRepository } from '../../cli/demo/demo-repository.ts';
import { buildDemoTasks } from '../../cli/demo/demo-tasks.ts';
import { spawnLocalStack } from '../../cli/local-stack.ts';
import { LeaseResponse } from '../../shared/api/report-schemas.ts';
import type { CallCounts } from '../bench/aws-bill.ts';
import { createStackControl, type StackControl } from '../bench/stack-control.ts';
import { claimSubmittedTask, createApiCaller, submitExternalTasks } from '../schemathesis/task-requests.ts';
import type { CountedCalls } from './scale-model.ts';

const TASKS = 8;
const BEATS = 20;

const divided = (snapshot: CallCounts, by: number): CallCounts =>
  Object.fromEntries(
    Object.entries(snapshot).map(([service, operations]) => [
      service,
      Object.fromEntries(Object.entries(operations).map(([name, count]) => [name, count / by])),
    ]),
  );

async function counting(
  control: StackControl,
  times: number,
  work: () => Promise<unknown>,
): Promise<CallCounts> {
  await control.processPendingWork();
  await control.reset();
  await work();
  await control.processPendingWork();
  return divided(await control.readCallCounts(), times);
}

/**
 * Counts on the embedded stack what one delivered task and one heartbeat ask of AWS. Waiting asks the emulation and not the API. The
 * reconciler's minutes are in it as they fall; they do not grow with the tasks.
 */
export async function measureCalls(say: (line: string) => void): Promise<CountedCalls> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-scale-'));
  const repository = createDemoRepository(join(folder, 'repository.git'));
  const stack = await spawnLocalStack({ dataDir: join(folder, 'state'), env: {} });
  try {
    const { url, token } = stack.connection;
    const client = createApiRouteClient({ url, token, source: 'the count' });
    const control = createStackControl(stack.connection);
    const [first] = buildDemoTasks(repository.url);
    if (!first) throw new Error('the demo has no task');
    const run = async (id: string): Promise<void> => {
      // Without the agent's script for that name: what it does is that of the first task of the demo.
      const argv = first.task.adapter?.kind === 'command' ? first.task.adapter.argv : [];
      const adapter = {
        kind: 'command' as const,
        argv: argv.map((word) => (word === '{task_id}' ? first.task.id : word)),
      };
      await client.submitTask({ body: { ...first.task, id, adapter } });
      await control.waitForExecutions([id]);
    };
    await run('warm-up');
    say(`${TASKS} tasks, one after the other`);
    const task = await counting(control, TASKS, async () => {
      for (let n = 1; n <= TASKS; n++) await run(`counted-${n}`);
    });
    const delivered = await client.getTask({ id: `counted-${TASKS}` });
    if (delivered.branch === null)
      throw new Error(`the counted tasks are not delivered: ${delivered.status}`);

    say(`${BEATS} heartbeats`);
    await submitExternalTasks(createApiCaller(url, token), repository.url, ['beats']);
    const held = await claimSubmittedTask(createApiCaller(url, token), 'beats');
    const agent = createApiCaller(url, held.token);
    const beat = await counting(control, BEATS, async () => {
      for (let n = 0; n < BEATS; n++) await agent('POST', '/tasks/beats/heartbeat', LeaseResponse, {});
    });
    return { task, heartbeat: beat };
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
