import type * as z from 'zod';
import { cursorBehind, startOf } from '../../api/page-cursor.ts';
import { type ListQuery, type TaskList, TaskSummary } from '../../api/schemas.ts';
import { INDEXES } from '../../contract/names.ts';
import { isTerminal, STATUSES, type Status } from '../../contract/task/status.ts';
import type { TaskRow, TaskStore } from '../../store/tasks.ts';

type Query = z.infer<typeof ListQuery>;
/** Pages of the index read for one answer at the most: a rare filter gets a short page and a cursor instead of a time-out. */
const MAX_ROUNDS = 10;
const LISTING = 'tasks';

const matches = (row: TaskRow, query: Query): boolean =>
  (query.role === undefined || row.role === query.role) &&
  (query.repository === undefined || row.repository === query.repository) &&
  (query.unverified === undefined || String(row.flagged_unverified) === query.unverified);

/** The statuses that can be in a listing. */
const statusesOf = ({ status, live }: Query): Status[] =>
  (status === undefined ? [...STATUSES] : [status]).filter(
    (each) => live === undefined || isTerminal(each) === (live === 'false'),
  );

const rank = (row: TaskRow): string => row[INDEXES.byStatus.sk];

/** The fields of a listing are the schema's; a row carries keys besides. */
const SHOWN = Object.keys(TaskSummary.shape) as (keyof TaskSummary)[];
const summary = (row: TaskRow): TaskSummary =>
  Object.fromEntries(SHOWN.map((field) => [field, row[field]])) as TaskSummary;

/** Tasks, oldest first or newest first. Without a status the listings of all statuses are merged: they have one order, so one rank is the cursor of all. */
export async function listTasks(
  query: Query,
  tasks: TaskStore,
  isVisible: (row: TaskRow) => boolean = () => true,
): Promise<z.infer<typeof TaskList>> {
  const statuses = statusesOf(query);
  const forward = query.order !== 'newest';
  let after = startOf(LISTING, query);
  const found: TaskRow[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pages = await Promise.all(
      statuses.map((status) => tasks.page(status, query.limit, after, forward)),
    );
    const merged = pages
      .flatMap((page) => page.rows)
      .sort((a, b) => (rank(a) < rank(b) === forward ? -1 : 1));
    const sure = merged.slice(0, query.limit);
    const last = sure.at(-1);
    if (!last) return { tasks: found.map(summary), next_cursor: null };
    const exhausted = merged.length <= query.limit && pages.every((page) => !page.more);
    for (const row of sure) {
      if (!matches(row, query) || !isVisible(row)) continue;
      found.push(row);
      if (found.length === query.limit)
        return {
          tasks: found.map(summary),
          next_cursor: cursorBehind(LISTING, query, exhausted && row === last ? null : rank(row)),
        };
    }
    if (exhausted) return { tasks: found.map(summary), next_cursor: null };
    after = rank(last);
  }
  return { tasks: found.map(summary), next_cursor: cursorBehind(LISTING, query, after ?? null) };
}
