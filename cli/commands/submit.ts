import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { TaskView } from '../../shared/api/schemas.ts';
import type { Expectation } from '../../shared/contract/submission/expects.ts';
import { count } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import { EXPECTS_OPTION } from '../expects.ts';
import { exitCodeFor, followWithin } from '../follow.ts';
import { HIDDEN_TESTS_OPTION, readHiddenTests, withHiddenTests } from '../hidden-tests.ts';
import type { Io } from '../io.ts';
import { taskProgress } from '../output/progress.ts';
import { renderResults } from '../output/results.ts';
import { renderTable } from '../output/table.ts';
import { noteOf, statusStyle } from '../output/task-style.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { readTaskFile, type TaskFile } from '../task-file.ts';
import { timeLimit } from '../time-limit.ts';

interface Options {
  readonly expects?: readonly Expectation[];
  readonly hiddenTests?: string;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly idempotencyKey?: string;
}

/** Sends the tasks in one request; a repeated request with the same key changes nothing twice. */
async function send(
  session: Session,
  { tasks, batch }: TaskFile,
  idempotencyKey: string,
): Promise<TaskView[]> {
  const [first] = tasks;
  if (!batch && first) return [await session.client().submitTask({ body: first, idempotencyKey })];
  const answer = await session.client().submitBatch({ body: { tasks: [...tasks] }, idempotencyKey });
  const refused = answer.results.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return answer.tasks;
  throw new CliError(
    EXIT.conflict,
    'partly_submitted',
    `${count(answer.tasks.length, 'task')} of ${answer.results.length} submitted; the others were refused.`,
    {
      details: refused.map(({ id, detail, code }) => ({ where: id, message: detail ?? code ?? 'refused' })),
      hint: `Repeat it with --idempotency-key ${idempotencyKey} once that is mended: what is there stays as it is.`,
    },
  );
}

/** All tasks of the file, with what the command line foresees beside what each says itself. */
const foreseeing = (file: TaskFile, words: readonly Expectation[]): TaskFile => ({
  ...file,
  tasks: file.tasks.map((task) => ({ ...task, expects: [...new Set([...(task.expects ?? []), ...words])] })),
});

const renderSubmitted = (tasks: readonly TaskView[], session: Session): string =>
  renderTable(
    [{ title: 'ID' }, { title: 'STATUS' }, { title: 'TITLE', shrinkTo: 16 }, { title: 'NOTE', shrinkTo: 8 }],
    tasks.map((task) => [
      { text: task.id, style: session.out.bold },
      { text: task.status, style: statusStyle(session.out, task.status) },
      task.title,
      noteOf(task),
    ]),
    session.io.stdout.columns,
    session.out.dim,
  );

/** Follows on standard error, so that standard output has the result and nothing else. */
async function wait(session: Session, submitted: readonly TaskView[], seconds: number | undefined) {
  const ids = submitted.map((task) => task.id);
  const progress = taskProgress(session.io.stderr, session.err, ids);
  try {
    return await followWithin(seconds, session.client(), ids, progress.show);
  } finally {
    progress.stop();
  }
}

export function registerSubmit(program: Command, io: Io): void {
  const command = program
    .command('submit')
    .argument('<file>', 'YAML or JSON: one task, a list of tasks, or {tasks: [...]}; - reads standard input')
    .description(SUMMARY.submit)
    .option(...EXPECTS_OPTION)
    .option(...HIDDEN_TESTS_OPTION)
    .option('--wait', 'follow the tasks and exit by how they end')
    .option('--timeout <seconds>', 'with --wait: give up after this long (exit 124)', timeLimit)
    .option('--idempotency-key <key>', 'makes repeating this command safe; default: a new key each time')
    .option(...JSON_OPTION);
  action<[string, Options]>(command, io, async (session, file, options) => {
    const read = await readTaskFile(file, session.io);
    const input =
      options.hiddenTests === undefined
        ? read
        : withHiddenTests(read, readHiddenTests(options.hiddenTests, session.io));
    const submitted = await send(
      session,
      foreseeing(input, options.expects ?? []),
      options.idempotencyKey ?? randomUUID(),
    );
    if (!options.wait) {
      if (session.json) session.printJson({ tasks: submitted });
      else session.print(renderSubmitted(submitted, session));
      return EXIT.ok;
    }
    session.note(`Submitted ${count(submitted.length, 'task')}.`);
    const tasks = await wait(session, submitted, options.timeout);
    if (session.json) session.printJson({ tasks });
    else {
      const chains = await Promise.all(tasks.map(({ id }) => session.client().listAttempts({ id })));
      const results = tasks.map((task, index) => ({ task, attempts: chains[index]?.attempts ?? [] }));
      session.print(renderResults(results, session.io.stdout.columns, session.out));
    }
    return exitCodeFor(tasks);
  });
  examples(command, [
    ['submit task.yaml', 'send and return at once'],
    [
      'submit tasks.yaml --wait',
      'follow; exit 0 when all are done, 1 when one failed, 3 when one needs review',
    ],
    [
      'submit task.yaml --hidden-tests ../kept-back',
      'with tests that the agent never sees; a folder that mirrors the checkout',
    ],
    ['submit - --json < task.json', 'from a script'],
  ]);
}
