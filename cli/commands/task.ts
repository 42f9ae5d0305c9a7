import type { Command } from 'commander';
import { taskAddress } from '../../shared/api/page-paths.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { openAddress } from '../open-address.ts';
import { renderTask } from '../output/task-page.ts';
import { SUMMARY } from '../summary.ts';

export function registerTask(program: Command, io: Io): void {
  const command = program
    .command('task')
    .argument('<id>', 'task id')
    .description(SUMMARY.task)
    .option('--open', 'show it on the page, in a browser')
    .option(...JSON_OPTION);
  action<[string, { readonly open?: boolean }]>(command, io, async (session, id, options) => {
    const client = session.client();
    if (options.open) {
      // Whether there is such a task, this tells; the page asks for a token of its own.
      await client.getTask({ id });
      const address = taskAddress(session.connection().url, id);
      if (session.json) session.printJson({ address });
      else session.print(address);
      openAddress(address, session);
      return EXIT.ok;
    }
    const [task, chain] = await Promise.all([client.getTask({ id }), client.listAttempts({ id })]);
    const { task_id: _, ...rest } = chain;
    if (session.json) session.printJson({ task, ...rest });
    else session.print(renderTask(task, chain, session.out));
    return EXIT.ok;
  });
  examples(command, [
    ['task 01JD8Z0000EXAMPLE', 'what happened, and why'],
    ['task 01JD8Z0000EXAMPLE --open', 'the same on the page, with the diff and over time'],
    ["task 01JD8Z0000EXAMPLE --json | jq '.attempts[].verdict.reasons'", 'why each attempt was refused'],
  ]);
}
