import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import { runDemo } from '../demo/main-job.ts';
import { renderDemo } from '../demo/report.ts';
import { demoDocument, surprises } from '../demo/result.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';

export function registerDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description('Run five tasks through the whole pipeline on this machine, in a temporary folder')
    .option(...JSON_OPTION);
  action(command, io, async (session) => {
    const { tasks, result } = await runDemo(session);
    const unexpected = surprises(tasks, result);
    if (session.json) session.printJson(demoDocument(result, unexpected));
    else session.print(`\n${renderDemo(result, unexpected, session.io.stdout.columns, session.out)}`);
    return unexpected.length === 0 ? EXIT.ok : EXIT.failed;
  });
  examples(command, [
    ['demo', 'watch it live, then read the table'],
    ["demo --json | jq '.tasks[] | [.id, .status, .verified]'", 'the same facts for a script'],
  ]);
}
