import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProcessUser } from '../process/process-user.ts';

/**
 * Gives folders to a user, to be entered by nobody else. For what we have made and nobody else could reach until now: it goes through
 * everything in them, but follows no link.
 */
export async function changeOwner({ uid, gid }: ProcessUser, folders: readonly string[]): Promise<void> {
  await Promise.all(folders.map((folder) => chmod(folder, 0o700)));
  await promisify(execFile)('chown', ['-hR', `${uid}:${gid}`, '--', ...folders], { env: { PATH } });
}

const PATH = process.env['PATH'] ?? '/usr/bin:/bin';
