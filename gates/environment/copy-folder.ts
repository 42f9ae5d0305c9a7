import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COPY_TIMEOUT_MS = 600_000;

/** Copies what lies in a folder into another, which may exist. A link in the way is not followed: the copy fails. */
export async function copyFolder(source: string, target: string, options: readonly string[]): Promise<void> {
  await mkdir(target, { recursive: true });
  if ((await readdir(source)).length === 0) return;
  await run('cp', [...options, '--', `${source}/.`, `${target}/`], { timeout: COPY_TIMEOUT_MS });
}
