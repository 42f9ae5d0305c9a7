import { exitCodeForTasks, findPendingDecisions, followTasksWithTimeout } from '../follow-tasks.ts';
import { showDecisionCommands } from '../output/decision-commands.ts';
import { startTaskProgressDisplay } from '../output/task-progress.ts';
import { defineArgument } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import { TIMEOUT_OPTION } from '../shared-options.ts';

export const watchCommand = defineServerCommand({
  name: 'watch',
  arguments: { ids: defineArgument('<id...>', 'task ids') },
  options: { timeout: TIMEOUT_OPTION },
  json: {
    text: '`--json` prints a line for each change, each line a `Task`.',
    option: 'print each change as one line of JSON; docs/reference/cli.md has its shape',
  },
  examples: [
    ['watch 01JD8Z0000EXAMPLE', 'one line that changes in place'],
    [
      'watch 01JD8Z0000EXAMPLE --json --timeout 600',
      'each change as a line of JSON, for at most ten minutes',
    ],
  ],
  run: async (session, { ids: given, timeout }) => {
    const ids = [...new Set(given)];
    const progress = session.json ? null : startTaskProgressDisplay(session.io.stdout, session.out, ids);
    try {
      const tasks = await followTasksWithTimeout(timeout, session.client(), ids, (task) =>
        progress ? progress.show(task) : session.io.stdout.write(`${JSON.stringify(task)}\n`),
      );
      progress?.stop();
      showDecisionCommands(session, await findPendingDecisions(session.client(), tasks));
      return exitCodeForTasks(tasks);
    } finally {
      progress?.stop();
    }
  },
});
