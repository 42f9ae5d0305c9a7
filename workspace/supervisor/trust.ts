import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { BOX_ENV } from '../../shared/contract/names.ts';
import { TRUSTED_FILES } from '../process/environment.ts';

/**
 * Lets what this box starts trust the authorities of the deployment beside the public ones. Git takes one bundle and no more, so it is
 * both together.
 */
export async function trustPrivateCas(
  folder: string,
  environment: Record<string, string | undefined> = process.env,
): Promise<void> {
  const given = environment[BOX_ENV.caFile];
  const own = environment[BOX_ENV.caBundle] ?? (given && (await readFile(given, 'utf8')));
  delete environment[BOX_ENV.caBundle];
  delete environment[BOX_ENV.caFile];
  if (!own) return;
  const file = join(folder, 'ca.pem');
  await writeFile(file, `${rootCertificates.join('\n')}\n${own}`, { mode: 0o444 });
  for (const name of TRUSTED_FILES) environment[name] = file;
}
