import type { Command } from 'commander';
import { action, examples } from '../command.ts';
import { exitCodeFor, followWithin } from '../follow.ts';
import type { Io } from '../io.ts';
import { taskProgress } from '../output/progress.ts';
import { SUMMARY } from '../summary.ts';
import { timeLimit } from '../time-limit.ts';

interface Options {
  readonly timeout?: number;
}

export function registerWatch(program: Command, io: Io): void {
  const command = program
    .command('watch')
    .argument('<id...>', 'task ids')
    .description(SUMMARY.watch)
    .option('--timeout <seconds>', 'give up after this long (exit 124)', timeLimit)
    .option('--json', 'print each change as one line of JSON; docs/cli.md has its shape');
  action<[string[], Options]>(command, io, async (session, given, options) => {
    const ids = [...new Set(given)];
    const progress = session.json ? null : taskProgress(session.io.stdout, session.out, ids);
    try {
      const tasks = await followWithin(options.timeout, session.client(), ids, (task) =>
        progress ? progress.show(task) : session.io.stdout.write(`${JSON.stringify(task)}\n`),
      );
      return exitCodeFor(tasks);
    } finally {
      progress?.stop();
    }
  });
  examples(command, [
    ['watch 01JD8Z0000EXAMPLE', 'one line that changes in place'],
    [
      'watch 01JD8Z0000EXAMPLE --json --timeout 600',
      'each change as a line of JSON, for ten minutes at most',
    ],
  ]);
}
