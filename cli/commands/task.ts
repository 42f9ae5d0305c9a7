import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTask } from '../output/task-page.ts';
import { SUMMARY } from '../summary.ts';

export function registerTask(program: Command, io: Io): void {
  const command = program
    .command('task')
    .argument('<id>', 'task id')
    .description(SUMMARY.task)
    .option(...JSON_OPTION);
  action<[string]>(command, io, async (session, id) => {
    const client = session.client();
    const [task, chain] = await Promise.all([client.getTask({ id }), client.listAttempts({ id })]);
    const { task_id: _, ...rest } = chain;
    if (session.json) session.printJson({ task, ...rest });
    else session.print(renderTask(task, chain, session.out));
    return EXIT.ok;
  });
  examples(command, [
    ['task 01JD8Z0000EXAMPLE', 'what happened, and why'],
    ["task 01JD8Z0000EXAMPLE --json | jq '.attempts[].verdict.reasons'", 'why each attempt was refused'],
  ]);
}
