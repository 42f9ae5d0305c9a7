import type * as z from 'zod';
import type { ListTasksQuery, TaskSummary } from '../../shared/api/task-schemas.ts';
import { TASK_STATUSES } from '../../shared/contract/task/status.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { chooseStatusStyle, renderTaskNote } from '../output/task-style.ts';
import { createIntegerParser, defineOption } from '../parameters.ts';
import { defineServerCommand, printNextPageHint } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { PAGINATION_OPTIONS, TASK_FILTER_OPTIONS } from '../shared-options.ts';

/** Tasks per request: the limit of the API. */
const PAGE_SIZE = 200;

type Query = Omit<z.input<typeof ListTasksQuery>, 'limit'> & { readonly limit: number };

/** Lists up to `limit` tasks, over as many pages as that takes. */
async function listTasks(session: ServerCommandSession, { limit, cursor: start, ...filters }: Query) {
  const tasks: TaskSummary[] = [];
  let cursor = start;
  for (;;) {
    const query = { ...filters, limit: Math.min(PAGE_SIZE, limit - tasks.length), cursor };
    const page = await session.client().listTasks({ query });
    tasks.push(...page.tasks);
    if (page.next_cursor === null || tasks.length >= limit) return { tasks, next_cursor: page.next_cursor };
    cursor = page.next_cursor;
  }
}

function renderTasks(tasks: readonly TaskSummary[], session: ServerCommandSession): string {
  const pc = session.out;
  const now = Date.now();
  return session.table(
    [
      { title: 'ID' },
      { title: 'STATUS' },
      { title: 'ROLE', shrinkTo: 6, optional: true },
      { title: 'PRIO', align: 'right', optional: true },
      { title: 'AGE', align: 'right', optional: true },
      { title: 'TITLE', shrinkTo: 16 },
      { title: 'NOTE', shrinkTo: 8, optional: true },
    ],
    tasks.map((task) => [
      { text: task.id, style: pc.bold },
      { text: task.status, style: chooseStatusStyle(pc, task.status, task.flagged_unverified) },
      task.role,
      String(task.priority),
      formatAge(task.created_at, now),
      task.title,
      renderTaskNote(task),
    ]),
  );
}

export const tasksCommand = defineServerCommand({
  name: 'tasks',
  options: {
    status: defineOption('--status <status>', 'only tasks with this status', { choices: TASK_STATUSES }),
    ...TASK_FILTER_OPTIONS,
    unverified: defineOption(
      '--unverified',
      'only tasks that completed without executed or checked evidence',
    ),
    verified: defineOption('--no-unverified', 'only the other tasks'),
    live: defineOption('--live', 'only tasks that have not ended'),
    newest: defineOption('--newest', 'newest first'),
    limit: defineOption('--limit <number>', 'at most this many', {
      parse: createIntegerParser(),
      default: 50,
    }),
    cursor: PAGINATION_OPTIONS.cursor,
  },
  json: '`--json` prints `{"tasks": [TaskSummary], "next_cursor": string | null}`.',
  examples: [
    ['tasks --status failed', 'the failed tasks'],
    ['tasks --newest --limit 20', 'the latest tasks'],
    ['tasks --unverified --json', 'unverified work, for a script'],
  ],
  run: async (session, { unverified, verified, live, newest, ...query }) => {
    const page = await listTasks(session, {
      ...query,
      unverified: unverified ? 'true' : verified ? 'false' : undefined,
      live: live && 'true',
      order: newest && 'newest',
    });
    session.show(page, () =>
      page.tasks.length === 0
        ? { note: 'No tasks. `assay submit FILE` sends one.' }
        : renderTasks(page.tasks, session),
    );
    printNextPageHint(session, 'tasks', page);
    return undefined;
  },
});
