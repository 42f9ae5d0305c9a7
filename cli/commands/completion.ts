import type { Command } from 'commander';
import { buildCommandTree } from '../completion/command-tree.ts';
import { COMPLETION_SCRIPTS, type CompletionShell } from '../completion/scripts.ts';
import { defineLocalCommand } from '../local-command.ts';
import { defineArgument } from '../parameters.ts';

const programOf = (command: Command): Command => (command.parent ? programOf(command.parent) : command);

/** `completion`: needs a program with every command in full. */
export const completionCommand = defineLocalCommand({
  name: 'completion',
  arguments: {
    shell: defineArgument('<shell>', 'shell', Object.keys(COMPLETION_SCRIPTS) as CompletionShell[]),
  },
  json: '`--json` prints `{"shell": string, "script": string}`.',
  examples: [
    ['completion bash > /etc/bash_completion.d/assay', 'for all users of this machine'],
    ['completion zsh > ~/.assay.zsh', 'for one user, with `source ~/.assay.zsh` after compinit in ~/.zshrc'],
    ['completion fish > ~/.config/fish/completions/assay.fish', 'for one user'],
  ],
  run: async (session, { shell }, command) => {
    const script = COMPLETION_SCRIPTS[shell](buildCommandTree(programOf(command)));
    session.show({ shell, script }, () => script.trimEnd());
    return undefined;
  },
});
