import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import { defineOption } from '../parameters.ts';

export const initCommand = defineLocalCommand({
  name: 'init',
  options: {
    repo: defineOption('--repo <dir>', 'repository', { default: '.' }),
    write: defineOption('--write', `write ${CONFIG_FILE} there; an existing one is not overwritten`),
  },
  json: '`--json` prints `{"file": string | null, "text": string, "environment": {"setup", "problem"}, "settings": [{"setting", "enabled", "why"}], "outlook": [string]}`; what is not `enabled` is a comment in the text.',
  examples: [
    ['init', 'prepare a bare checkout of HEAD, run there what may work, and print a configuration'],
    ['init --write && git add assay.yaml', 'write it'],
  ],
  run: async (session, { repo, write }) => {
    const dir = resolve(session.io.cwd, repo);
    const file = join(dir, CONFIG_FILE);
    if (write && existsSync(file))
      throw new CliError(CLI_EXIT_CODES.conflict, 'there_already', `${file} exists already.`, {
        hint: '`assay init` without --write prints its proposal; `assay gates list` lists the gates that run.',
      });
    const { proposeConfig } = await import('../init/propose-config.ts');
    const proposal = await proposeConfig(dir, (text) => session.note(text)).catch((error: unknown) => {
      if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
      throw new CliError(CLI_EXIT_CODES.usage, error.failureClass, `${error.message}.`, {
        hint: 'Gates read files of commits: name a git repository that has one.',
      });
    });
    if (write) await writeFile(file, proposal.text, { flag: 'wx' });
    session.show({ file: write ? file : null, ...proposal }, () =>
      write ? `${file} written. Commit it: gates read it from the base commit.` : proposal.text.trimEnd(),
    );
    for (const { setting, enabled, why } of proposal.settings)
      if (!enabled) session.note(`not enabled: ${setting.split('\n').at(-1)}: ${why}`);
    for (const line of proposal.outlook) session.note(line);
    return undefined;
  },
});
