import { Argument, type Command } from 'commander';
import { SHELLS, type Shell } from '../completion/scripts.ts';
import { treeOf } from '../completion/tree.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { SUMMARY } from '../summary.ts';

/** `assay completion` */
export function registerCompletion(program: Command, io: Io, whole: () => Promise<Command>): void {
  const command = program
    .command('completion')
    .description(SUMMARY.completion)
    .addArgument(new Argument('<shell>', 'whose words they are').choices(Object.keys(SHELLS)))
    .option(...JSON_OPTION);
  localAction<[Shell]>(command, io, async (session, shell) => {
    const tree = treeOf(await whole());
    if (session.json) session.printJson({ shell, script: SHELLS[shell](tree) });
    else session.print(SHELLS[shell](tree).trimEnd());
    return EXIT.ok;
  });
  examples(command, [
    ['completion bash > /etc/bash_completion.d/assay', 'for everybody on this machine'],
    [
      'completion zsh > ~/.assay.zsh',
      'for one person, with `source ~/.assay.zsh` after compinit in ~/.zshrc',
    ],
    ['completion fish > ~/.config/fish/completions/assay.fish', 'for one person'],
  ]);
}
