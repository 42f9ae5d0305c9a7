import type * as z from 'zod';
import type { TaskList, TaskSummary } from '../../shared/api/task-schemas.ts';
import type { ApiClient } from '../api/api-client.ts';

type List = z.infer<typeof TaskList>;

/** Tasks of one page of a listing. */
const PAGE = 200;
/** How many live tasks are shown at the most; the numbers in the header are of all. */
export const MAX_LIVE_TASKS = 2_000;
/** How many that have ended are shown, the newest first. */
const ENDED = 100;

/** All live tasks, oldest first, as far as the board shows them. */
async function live(api: ApiClient): Promise<TaskSummary[]> {
  const tasks: TaskSummary[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const read: List | undefined = (await api.read<List>(`/tasks?live=true&limit=${PAGE}${more}`))?.body;
    tasks.push(...(read?.tasks ?? []));
    cursor = read?.next_cursor ?? null;
  } while (cursor !== null && tasks.length < MAX_LIVE_TASKS);
  return tasks;
}

/** What the board shows: all that is live, and what ended last. */
export async function loadBoardTasks(api: ApiClient): Promise<TaskSummary[]> {
  const [running, ended] = await Promise.all([
    live(api),
    api.read<List>(`/tasks?live=false&order=newest&limit=${ENDED}`),
  ]);
  // A task may come to its end between the two.
  const byId = new Map([...running, ...(ended?.body.tasks ?? [])].map((task) => [task.id, task]));
  return [...byId.values()];
}
