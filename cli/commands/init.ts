import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CONFIG_FILE, ConfigError } from '../../gates/core/configuration-file.ts';
import { createInvalidConfigCliError, toRepositoryUsageError } from '../check/usage-errors.ts';
import { CLI_EXIT_CODES, CliError, type CliExitCode } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { defineOption } from '../parameters.ts';

function rethrowAsUsageError(error: unknown): never {
  throw toRepositoryUsageError(
    error,
    'Gates read files of commits: name a git repository that has one with --repo.',
  );
}

/** Validates the configuration in a folder. Returns the exit code: failed if a gate is of no use. */
async function checkConfig(session: LocalCommandSession, dir: string): Promise<CliExitCode> {
  const { readAssayConfig } = await import('../check/check-inputs.ts');
  const config = await readAssayConfig(dir).catch((error: unknown) => {
    throw error instanceof ConfigError ? createInvalidConfigCliError(error) : error;
  });
  if (config === null)
    throw new CliError(CLI_EXIT_CODES.usage, 'no_config', `${dir} has no ${CONFIG_FILE}.`, {
      hint: '`assay init --write` writes one.',
    });
  const { validateConfig } = await import('../init/propose-config.ts');
  const checked = await validateConfig(dir, config, (text) => session.note(text)).catch(rethrowAsUsageError);
  session.show(checked, () =>
    [
      ...(checked.environment === null ? [] : [checked.environment]),
      ...checked.gates.map(
        ({ gate, usable, detail }) => `${gate}: ${usable ? 'ok' : 'of no use'}: ${detail}`,
      ),
    ].join('\n'),
  );
  const isUsable = checked.environment === null && checked.gates.every(({ usable }) => usable);
  return isUsable ? CLI_EXIT_CODES.ok : CLI_EXIT_CODES.failed;
}

export const initCommand = defineLocalCommand({
  name: 'init',
  options: {
    repo: defineOption('--repo <dir>', 'repository', { default: '.' }),
    write: defineOption('--write', `write ${CONFIG_FILE} there; an existing one is not overwritten`),
    check: defineOption(
      '--check',
      `run the commands of the ${CONFIG_FILE} there on the last commit; writes nothing`,
    ),
  },
  json: '`--json` prints `{"file": string | null, "text": string, "environment": {"setup", "problem"}, "settings": [{"setting", "enabled", "why"}], "outlook": [string]}`; what is not `enabled` is a comment in the text. With `--check`: `{"environment": string | null, "gates": [{"gate", "usable", "detail", "duration_ms"}]}`; exit code 1 if a gate is of no use.',
  examples: [
    ['init', 'prepare a bare checkout of HEAD, run there what may work, and print a configuration'],
    ['init --write && git add assay.yaml', 'write it'],
    ['init --check', 'validate an existing configuration'],
  ],
  run: async (session, { repo, write, check }) => {
    const dir = resolve(session.io.cwd, repo);
    const file = join(dir, CONFIG_FILE);
    if (check) return checkConfig(session, dir);
    if (write && existsSync(file))
      throw new CliError(CLI_EXIT_CODES.conflict, 'there_already', `${file} exists already.`, {
        hint: '`assay init` without --write prints its proposal; `assay gates list` lists the gates that run.',
      });
    const { proposeConfig } = await import('../init/propose-config.ts');
    const proposal = await proposeConfig(dir, (text) => session.note(text)).catch(rethrowAsUsageError);
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
