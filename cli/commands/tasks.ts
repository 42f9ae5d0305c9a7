import { type Command, Option } from 'commander';
import type * as z from 'zod';
import type { ListQuery, TaskSummary } from '../../shared/api/schemas.ts';
import { STATUSES } from '../../shared/contract/task/status.ts';
import { age } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { noteOf, statusStyle } from '../output/task-style.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

interface Options {
  readonly status?: string;
  readonly role?: string;
  readonly repository?: string;
  readonly unverified?: boolean;
  readonly live?: boolean;
  readonly newest?: boolean;
  readonly limit: number;
  readonly cursor?: string;
}

/** Tasks per request; the API's own limit. */
const PAGE = 200;

/** Up to `limit` tasks, over as many pages as that takes. */
async function list(session: Session, options: Options) {
  const tasks: TaskSummary[] = [];
  let cursor = options.cursor;
  for (;;) {
    const query = {
      status: options.status,
      role: options.role,
      repository: options.repository,
      unverified: options.unverified === undefined ? undefined : options.unverified ? 'true' : 'false',
      live: options.live ? 'true' : undefined,
      order: options.newest ? 'newest' : undefined,
      limit: Math.min(PAGE, options.limit - tasks.length),
      cursor,
    } as z.input<typeof ListQuery>;
    const page = await session.client().listTasks({ query });
    tasks.push(...page.tasks);
    if (page.next_cursor === null || tasks.length >= options.limit)
      return { tasks, next_cursor: page.next_cursor };
    cursor = page.next_cursor;
  }
}

function renderTasks(tasks: readonly TaskSummary[], session: Session): string {
  const pc = session.out;
  const now = Date.now();
  return renderTable(
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
      { text: task.status, style: statusStyle(pc, task.status, task.flagged_unverified) },
      task.role,
      String(task.priority),
      age(task.created_at, now),
      task.title,
      noteOf(task),
    ]),
    session.io.stdout.columns,
    pc.dim,
  );
}

export function registerTasks(program: Command, io: Io): void {
  const command = program
    .command('tasks')
    .description(SUMMARY.tasks)
    .addOption(new Option('--status <status>', 'only tasks with this status').choices(STATUSES))
    .option('--role <role>', 'only tasks of this role')
    .option('--repository <url>', 'only tasks of this repository')
    .option('--unverified', 'only tasks that completed without evidence of ours')
    .option('--no-unverified', 'only the others')
    .option('--live', 'only tasks that have not ended')
    .option('--newest', 'the newest first')
    .option('--limit <number>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where an earlier listing ended (its next_cursor)')
    .option(...JSON_OPTION);
  // Commander makes `--no-x` default x to true; here absent means both.
  command.setOptionValueWithSource('unverified', undefined, 'default');
  action<[Options]>(command, io, async (session, options) => {
    const page = await list(session, options);
    if (session.json) session.printJson(page);
    else if (page.tasks.length === 0) session.note('No tasks. `assay submit FILE` sends one.');
    else session.print(renderTasks(page.tasks, session));
    if (!session.json && page.next_cursor !== null)
      session.note(`More: assay tasks --cursor ${page.next_cursor}`);
    return EXIT.ok;
  });
  examples(command, [
    ['tasks --status failed', 'what needs a look'],
    ['tasks --newest --limit 20', 'what came last'],
    ['tasks --unverified --json', 'work that nobody has verified, for a script'],
  ]);
}
