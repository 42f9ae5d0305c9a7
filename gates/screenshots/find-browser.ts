import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';

/** Debian's names of it, Google's, and those of other systems, the most likely first. */
export const BROWSER_PROGRAMS = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
] as const;

const runs = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Path of the browser of this machine; null: there is none. */
export async function findBrowser(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const set = env[CONTAINER_ENV_NAMES.browser];
  if (set !== undefined && set !== '') return isAbsolute(set) && (await runs(set)) ? set : null;
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const name of BROWSER_PROGRAMS)
    for (const folder of folders) if (await runs(join(folder, name))) return join(folder, name);
  return null;
}
