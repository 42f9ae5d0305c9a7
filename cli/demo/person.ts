import type { TaskView } from '../../shared/api/schemas.ts';
import type { Client } from '../client.ts';
import type { DemoTask } from './tasks.ts';

/** Allows what agents wait for that the demo has a word on; answers with the ids of their tasks. */
async function answerAsks(
  client: Client,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> {
  const asking = ended.flatMap(({ id, status }) => {
    const reason = tasks.find(({ task }) => task.id === id)?.leave;
    return status === 'auth_required' && reason !== undefined ? [{ id, reason }] : [];
  });
  for (const { id, reason } of asking) await client.approve({ id, body: { reason } });
  return asking.map(({ id }) => id);
}

/** Gives a word on the work of each task that waits for one and for which the demo has one; answers with their ids. */
async function answerHolds(
  client: Client,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> {
  const held = ended.flatMap((task) => {
    const reason = tasks.find(({ task: { id } }) => id === task.id)?.approval;
    return task.hold !== null && reason !== undefined ? [{ id: task.id, reason }] : [];
  });
  for (const { id, reason } of held) {
    const { attempts } = await client.listAttempts({ id });
    const tree = attempts.at(-1)?.artifact?.tree;
    if (tree !== undefined) await client.review({ id, body: { decision: 'approve', reason, tree } });
  }
  return held.map(({ id }) => id);
}

/** A word on all that waits for one: leave in mid-run, and work that was held. The ids of the tasks that go on after it. */
export const answerAll = async (
  client: Client,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> => [
  ...(await answerAsks(client, tasks, ended)),
  ...(await answerHolds(client, tasks, ended)),
];
