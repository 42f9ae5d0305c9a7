import type * as z from 'zod';
import { createCursor, parseCursor } from '../../api/page-cursor.ts';
import { type ListTasksQuery, type TaskList, TaskSummary } from '../../api/task-schemas.ts';
import { TABLE_INDEXES } from '../../contract/resource-names.ts';
import { isTerminalStatus, TASK_STATUSES, type TaskStatus } from '../../contract/task/status.ts';
import type { TaskIndexRow, TaskStore } from '../../store/task-store.ts';

type Query = z.infer<typeof ListTasksQuery>;
/** Pages of the index read for one answer at the most: a rare filter gets a short page and a cursor instead of a time-out. */
const MAX_ROUNDS = 10;
const LISTING = 'tasks';

const matches = (row: TaskIndexRow, query: Query): boolean =>
  (query.role === undefined || row.role === query.role) &&
  (query.repository === undefined || row.repository === query.repository) &&
  (query.unverified === undefined || String(row.flagged_unverified) === query.unverified);

/** The statuses that can be in a listing. */
const statusesOf = ({ status, live }: Query): TaskStatus[] =>
  (status === undefined ? [...TASK_STATUSES] : [status]).filter(
    (each) => live === undefined || isTerminalStatus(each) === (live === 'false'),
  );

const rank = (row: TaskIndexRow): string => row[TABLE_INDEXES.byStatus.sk];

/** The fields of a listing are the schema's; a row carries keys besides. */
const SHOWN = Object.keys(TaskSummary.shape) as (keyof TaskSummary)[];
const summary = (row: TaskIndexRow): TaskSummary =>
  Object.fromEntries(SHOWN.map((field) => [field, row[field]])) as TaskSummary;

/** Tasks, oldest first or newest first. Without a status the listings of all statuses are merged: they have one order, so one rank is the cursor of all. */
export async function listTasks(
  query: Query,
  tasks: TaskStore,
  isVisible: (row: TaskIndexRow) => boolean = () => true,
): Promise<z.infer<typeof TaskList>> {
  const statuses = statusesOf(query);
  const forward = query.order !== 'newest';
  let after = parseCursor(LISTING, query);
  const found: TaskIndexRow[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pages = await Promise.all(
      statuses.map((status) => tasks.listByStatus(status, query.limit, after, forward)),
    );
    const merged = pages
      .flatMap((page) => page.rows)
      .sort((a, b) => (rank(a) < rank(b) === forward ? -1 : 1));
    const sure = merged.slice(0, query.limit);
    const last = sure.at(-1);
    if (!last) return { tasks: found.map(summary), next_cursor: null };
    const exhausted = merged.length <= query.limit && pages.every((page) => !page.hasMore);
    for (const row of sure) {
      if (!matches(row, query) || !isVisible(row)) continue;
      found.push(row);
      if (found.length === query.limit)
        return {
          tasks: found.map(summary),
          next_cursor: createCursor(LISTING, query, exhausted && row === last ? null : rank(row)),
        };
    }
    if (exhausted) return { tasks: found.map(summary), next_cursor: null };
    after = rank(last);
  }
  return { tasks: found.map(summary), next_cursor: createCursor(LISTING, query, after ?? null) };
}
