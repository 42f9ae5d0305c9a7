import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { CERTIFICATE_VARIABLES } from '../process/command-environment.ts';

/**
 * Lets what this box starts trust the authorities of the deployment beside the public ones. Git takes one bundle and no more, so it is
 * both together.
 */
export async function installCaBundle(
  folder: string,
  environment: Record<string, string | undefined> = process.env,
): Promise<void> {
  const given = environment[CONTAINER_ENV_NAMES.caFile];
  const own = environment[CONTAINER_ENV_NAMES.caBundle] ?? (given && (await readFile(given, 'utf8')));
  delete environment[CONTAINER_ENV_NAMES.caBundle];
  delete environment[CONTAINER_ENV_NAMES.caFile];
  if (!own) return;
  const file = join(folder, 'ca.pem');
  await writeFile(file, `${rootCertificates.join('\n')}\n${own}`, { mode: 0o444 });
  for (const name of CERTIFICATE_VARIABLES) environment[name] = file;
}
