import type { Command } from 'commander';
import { SHELLS, type Shell } from '../completion/scripts.ts';
import { commandTree } from '../completion/tree.ts';
import { localCommand } from '../local-command.ts';
import { argument } from '../parameters.ts';

const programOf = (command: Command): Command => (command.parent ? programOf(command.parent) : command);

/** `completion`: needs a program with every command in full. */
export const completionCommand = localCommand({
  name: 'completion',
  arguments: { shell: argument('<shell>', 'shell', Object.keys(SHELLS) as Shell[]) },
  json: '`--json` prints `{"shell": string, "script": string}`.',
  examples: [
    ['completion bash > /etc/bash_completion.d/assay', 'for all users of this machine'],
    ['completion zsh > ~/.assay.zsh', 'for one user, with `source ~/.assay.zsh` after compinit in ~/.zshrc'],
    ['completion fish > ~/.config/fish/completions/assay.fish', 'for one user'],
  ],
  run: async (session, { shell }, command) => {
    const script = SHELLS[shell](commandTree(programOf(command)));
    session.show({ shell, script }, () => script.trimEnd());
    return undefined;
  },
});
