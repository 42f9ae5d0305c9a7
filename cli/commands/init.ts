import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import { defineOption } from '../parameters.ts';

export const initCommand = defineLocalCommand({
  name: 'init',
  options: {
    repo: defineOption('--repo <dir>', 'repository', { default: '.' }),
    write: defineOption('--write', `write ${CONFIG_FILE} there; an existing one is not overwritten`),
  },
  json: '`--json` prints `{"file": string | null, "text": string, "settings": [{"setting", "why", "missing"}]}`; `missing` is null where nothing is.',
  examples: [
    ['init', 'print a configuration for this repository, with the reasons as comments'],
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
    const { text, settings } = await proposeConfig(dir);
    if (write) await writeFile(file, text, { flag: 'wx' });
    session.show({ file: write ? file : null, text, settings }, () =>
      write ? `${file} written. Commit it: gates read it from the base commit.` : text.trimEnd(),
    );
    for (const { setting, missing } of settings) if (missing !== null) session.note(`${setting}: ${missing}`);
    if (!settings.some(({ setting }) => setting === 'tests: true'))
      session.note(
        'No tests were found, so no executed evidence is possible. Set test_command if there is one.',
      );
    return undefined;
  },
});
