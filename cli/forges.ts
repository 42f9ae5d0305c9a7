import { EMBEDDED_FORGE_SECRET, ENV } from '../shared/contract/names.ts';
import { longestScope } from '../shared/contract/repository/url.ts';
import { ForgeSecret, ForgeSettings } from '../shared/control/forge/schema.ts';
import type { Io } from './io.ts';
import { readSettingsFile, refusedFile } from './settings-file.ts';

const REFUSED = {
  code: 'bad_forges',
  message: 'does not say which forges there are.',
  hint: `For example \`- { url: https://github.com/acme, forge: github }\`, with the secret in ${EMBEDDED_FORGE_SECRET}; docs/forges.md has all of it.`,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with the secret: the names of its fields, and nothing of what is in them. */
function secretProblems(text: string | undefined, settings: ForgeSettings): string[] {
  if (!text) return [`the variable ${EMBEDDED_FORGE_SECRET} is not set, and the secret should be in it`];
  const read = ForgeSecret.safeParse(parsed(text));
  if (!read.success)
    return read.error.issues.map(
      ({ path }) => `${EMBEDDED_FORGE_SECRET}: /${path.join('/')} is missing or wrong`,
    );
  return settings.flatMap(({ url }) =>
    longestScope(read.data.credentials, url)
      ? []
      : [`${EMBEDDED_FORGE_SECRET}: /credentials has none for ${url}`],
  );
}

/** The forges of FILE, with a secret for each where it belongs. Throws {@link CliError} that names each wrong field. */
export function readForges(file: string, io: Pick<Io, 'cwd' | 'env'>): ForgeSettings {
  const settings = readSettingsFile(file, ForgeSettings, REFUSED, io);
  const problems = secretProblems(io.env[EMBEDDED_FORGE_SECRET], settings);
  if (problems.length > 0) throw refusedFile(file, REFUSED, problems);
  return settings;
}

/** Forges as the embedded stack takes them in its environment. The secret stays where it is. */
export const forgeEnvironment = (settings: ForgeSettings): Record<string, string> => ({
  [ENV.forges]: JSON.stringify(settings),
});
