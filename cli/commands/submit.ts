import { randomUUID } from 'node:crypto';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { readExamFolder } from '../exam/exam-folder.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { exitCodeForTasks, findPendingDecisions, followTasksWithProgress } from '../follow-tasks.ts';
import { readHiddenTests } from '../hidden-tests.ts';
import { showDecisionCommands } from '../output/decision-commands.ts';
import { renderTaskResults } from '../output/task-results.ts';
import { chooseStatusStyle, renderTaskNote } from '../output/task-style.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { EXPECTED_CHANGES_OPTION, IDEMPOTENCY_KEY_OPTION, TIMEOUT_OPTION } from '../shared-options.ts';
import { addTests, readTaskFile, type TaskFile } from '../task-file.ts';

/** Sends the tasks in one request; a repeated request with the same key changes nothing twice. */
async function send(
  session: ServerCommandSession,
  { tasks, batch }: TaskFile,
  idempotencyKey: string,
): Promise<TaskView[]> {
  const [first] = tasks;
  if (!batch && first) return [await session.client().submitTask({ body: first, idempotencyKey })];
  const answer = await session.client().submitBatch({ body: { tasks: [...tasks] }, idempotencyKey });
  const refused = answer.results.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return answer.tasks;
  throw new CliError(
    CLI_EXIT_CODES.conflict,
    'partly_submitted',
    `${formatCount(answer.tasks.length, 'task')} of ${answer.results.length} submitted; the others were refused.`,
    {
      details: refused.map(({ id, detail, code }) => ({ where: id, message: detail ?? code ?? 'refused' })),
      hint: `Correct them, then repeat the command with --idempotency-key ${idempotencyKey}: the submitted tasks stay as they are.`,
    },
  );
}

/** The tasks of the file, each with the expectations of the command line added to its own. */
const withExpectations = (file: TaskFile, expectedChanges: readonly ExpectedChangeKind[]): TaskFile => ({
  ...file,
  tasks: file.tasks.map((task) => ({
    ...task,
    expected_changes: [...new Set([...(task.expected_changes ?? []), ...expectedChanges])],
  })),
});

const renderSubmitted = (tasks: readonly TaskView[], session: ServerCommandSession): string =>
  session.table(
    [{ title: 'ID' }, { title: 'STATUS' }, { title: 'TITLE', shrinkTo: 16 }, { title: 'NOTE', shrinkTo: 8 }],
    tasks.map((task) => [
      { text: task.id, style: session.out.bold },
      { text: task.status, style: chooseStatusStyle(session.out, task.status) },
      task.title,
      renderTaskNote(task),
    ]),
  );

export const submitCommand = defineServerCommand({
  name: 'submit',
  arguments: {
    file: defineArgument(
      '<file>',
      'YAML or JSON: one task, a list of tasks, or {tasks: [...]}; - reads standard input',
    ),
  },
  options: {
    expectedChanges: EXPECTED_CHANGES_OPTION,
    hiddenTests: defineOption(
      '--hidden-tests <tests>',
      'tests that only the gates container gets: a folder that mirrors the checkout, or URL#REF or URL#REF:FOLDER of another repository',
    ),
    exam: defineOption(
      '--exam <folder>',
      'acceptance tests that only the gates container gets: exam.json, and test files in exam/',
    ),
    wait: defineOption('--wait', 'follow the tasks and exit by how they end'),
    timeout: TIMEOUT_OPTION,
    idempotencyKey: IDEMPOTENCY_KEY_OPTION,
  },
  json: '`--json` prints the tasks as they were submitted, or with `--wait` as they ended: `{"tasks": [Task]}`, also for one task.',
  examples: [
    ['submit task.yaml', 'send and return at once'],
    [
      'submit tasks.yaml --wait',
      'follow; exit 0 when all are done, 1 when one failed, 3 when one needs review',
    ],
    ['submit task.yaml --hidden-tests ../kept-back', 'with tests that the agent never sees'],
    ['submit task.yaml --exam ../exam', 'with acceptance tests for each requirement'],
    ['submit - --json < task.json', 'from a script'],
  ],
  run: async (session, { file, expectedChanges, hiddenTests, exam, wait, timeout, idempotencyKey }) => {
    let input = await readTaskFile(file, session.io);
    if (hiddenTests !== undefined)
      input = addTests(input, 'hidden_tests', readHiddenTests(hiddenTests, session.io));
    if (exam !== undefined) input = addTests(input, 'exam', readExamFolder(exam, session.io.cwd));
    const submitted = await send(
      session,
      withExpectations(input, expectedChanges),
      idempotencyKey ?? randomUUID(),
    );
    if (!wait) {
      session.show({ tasks: submitted }, () => renderSubmitted(submitted, session));
      return CLI_EXIT_CODES.ok;
    }
    session.note(`Submitted ${formatCount(submitted.length, 'task')}.`);
    const ids = submitted.map(({ id }) => id);
    const tasks = await followTasksWithProgress(session, ids, timeout);
    const chains = session.json
      ? []
      : await Promise.all(ids.map((id) => session.client().listAttempts({ id })));
    session.show({ tasks }, () =>
      renderTaskResults(
        tasks.map((task, index) => ({ task, attempts: chains[index]?.attempts ?? [] })),
        session.io.stdout.columns,
        session.out,
      ),
    );
    showDecisionCommands(session, await findPendingDecisions(session.client(), tasks));
    return exitCodeForTasks(tasks);
  },
});
