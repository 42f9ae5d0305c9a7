import { findMostSpecificScope } from '../shared/contract/repository/repository-url.ts';
import { EMBEDDED_FORGE_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { ForgeCredentialsSecret, ForgeSettings } from '../shared/control/forge/forge-settings.ts';
import type { CommandIo } from './io.ts';
import { createInvalidSettingsError, readSettingsFile } from './settings-file.ts';

const REFUSAL = {
  code: 'bad_forges',
  message: 'does not name the forges.',
  hint: `For example \`- { url: https://github.com/acme, forge: github }\`, with the secret in ${EMBEDDED_FORGE_SECRET_VARIABLE}; docs/how-to/forges.md describes the format.`,
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the problems of the secret: the names of its fields, never their values. */
function secretProblems(text: string | undefined, settings: ForgeSettings): string[] {
  if (!text) return [`the variable ${EMBEDDED_FORGE_SECRET_VARIABLE} is not set; it must have the secret`];
  const read = ForgeCredentialsSecret.safeParse(parseJson(text));
  if (!read.success)
    return read.error.issues.map(
      ({ path }) => `${EMBEDDED_FORGE_SECRET_VARIABLE}: /${path.join('/')} is missing or wrong`,
    );
  return settings.flatMap(({ url }) =>
    findMostSpecificScope(read.data.credentials, url)
      ? []
      : [`${EMBEDDED_FORGE_SECRET_VARIABLE}: /credentials has none for ${url}`],
  );
}

/** Reads the forges of a file. @throws CliError that names each wrong field, or a missing secret */
export function readForgeSettings(file: string, io: Pick<CommandIo, 'cwd' | 'env'>): ForgeSettings {
  const settings = readSettingsFile(file, ForgeSettings, REFUSAL, io);
  const problems = secretProblems(io.env[EMBEDDED_FORGE_SECRET_VARIABLE], settings);
  if (problems.length > 0) throw createInvalidSettingsError(file, REFUSAL, problems);
  return settings;
}

/** Returns forges as environment of the embedded stack, without the secret. */
export const buildForgeEnvironment = (settings: ForgeSettings): Record<string, string> => ({
  [FUNCTION_ENV_NAMES.forges]: JSON.stringify(settings),
});
