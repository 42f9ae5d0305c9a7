import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { ApiRouteClient } from '../client.ts';
import type { DemoTask } from './demo-tasks.ts';

/** Approves the open approval requests for which the demo has a reason. Returns the ids of their tasks. */
async function approveRequests(
  client: ApiRouteClient,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> {
  const waiting = ended.flatMap(({ id, status }) => {
    const reason = tasks.find(({ task }) => task.id === id)?.approvalReason;
    return status === 'auth_required' && reason !== undefined ? [{ id, reason }] : [];
  });
  for (const { id, reason } of waiting) await client.approve({ id, body: { reason } });
  return waiting.map(({ id }) => id);
}

/** Approves the held work for which the demo has a reason. Returns the ids of the tasks. */
async function approveHeldWork(
  client: ApiRouteClient,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> {
  const held = ended.flatMap((task) => {
    const reason = tasks.find(({ task: { id } }) => id === task.id)?.reviewReason;
    return task.hold !== null && reason !== undefined ? [{ id: task.id, reason }] : [];
  });
  for (const { id, reason } of held) {
    const { attempts } = await client.listAttempts({ id });
    const tree = attempts.at(-1)?.artifact?.tree;
    if (tree !== undefined) await client.review({ id, body: { decision: 'approve', reason, tree } });
  }
  return held.map(({ id }) => id);
}

/** Approves what the demo has scripted: approval requests and held work. Returns the ids of the tasks that continue. */
export const approveScriptedTasks = async (
  client: ApiRouteClient,
  tasks: readonly DemoTask[],
  ended: readonly TaskView[],
): Promise<string[]> => [
  ...(await approveRequests(client, tasks, ended)),
  ...(await approveHeldWork(client, tasks, ended)),
];
