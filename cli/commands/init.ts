import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { SUMMARY } from '../summary.ts';

interface Options {
  readonly repo: string;
  readonly write?: true;
}

/** `assay init` */
export function registerInit(program: Command, io: Io): void {
  const command = program
    .command('init')
    .description(SUMMARY.init)
    .option('--repo <dir>', 'the repository to look at', '.')
    .option('--write', `write ${CONFIG_FILE} there; one that is there already is left alone`)
    .option(...JSON_OPTION);
  localAction<[Options]>(command, io, async (session, { repo, write }) => {
    const dir = resolve(io.cwd, repo);
    const file = join(dir, CONFIG_FILE);
    if (write && existsSync(file))
      throw new CliError(EXIT.conflict, 'there_already', `${file} is there already.`, {
        hint: '`assay init` without --write prints what it would propose; `assay gates list` says what runs.',
      });
    const { propose } = await import('../init/propose.ts');
    const { text, settings } = await propose(dir);
    if (write) await writeFile(file, text, { flag: 'wx' });
    if (session.json) session.printJson({ file: write ? file : null, text, settings });
    else
      session.print(write ? `${file} written; commit it, since gates read it from the base` : text.trimEnd());
    const missing = settings.filter((each) => each.missing !== null);
    for (const each of missing) session.note(`${each.setting}: ${each.missing}`);
    if (!settings.some(({ setting }) => setting === 'tests: true'))
      session.note(
        'No tests were found: nothing that runs would speak for a change. Name a test_command if there is one.',
      );
    return EXIT.ok;
  });
  examples(command, [
    ['init', 'prints what fits this repository, with the reasons as comments'],
    ['init --write && git add assay.yaml', 'writes it'],
  ]);
}
