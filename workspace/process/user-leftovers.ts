import { existsSync } from 'node:fs';
import { chown, lstat, mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgramAsUser } from './kill-user-processes.ts';
import type { ProcessUser } from './process-user.ts';

/** Folders in which every user may leave something. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'] as const;
/** What System V keeps between processes, what it calls their ids, and the option of `ipcrm` that removes it. */
const IPC = [
  ['shm', 'shmid', '-m'],
  ['sem', 'semid', '-s'],
  ['msg', 'msqid', '-q'],
] as const;
const LIMIT_MS = 60_000;

/**
 * Removes what a user has left where others could find it. Call it when nothing of that user runs.
 * @throws when something stays.
 */
export async function removeFilesAndIpcOfUser(user: ProcessUser): Promise<void> {
  for (const shared of SHARED) await clear(shared, user);
  const options = await ipcOptions(user);
  if (options.length === 0) return;
  await runProgramAsUser(user, ['/usr/bin/ipcrm', ...options], LIMIT_MS);
  if ((await ipcOptions(user)).length > 0)
    throw new Error(`what user ${user.uid} left in System V's memory cannot be removed`);
}

/**
 * First everything moves at once to where nobody else can reach it, and then its owner removes it: whoever exchanges a folder of it
 * for a link meanwhile gains what the owner could have done.
 */
async function clear(shared: string, user: ProcessUser): Promise<void> {
  const owned: string[] = [];
  for (const name of await readdir(shared).catch(() => []))
    if ((await lstat(join(shared, name)).catch(() => null))?.uid === user.uid) owned.push(name);
  if (owned.length === 0) return;
  if (shared === '/dev/mqueue') {
    await runProgramAsUser(
      user,
      ['/bin/rm', '-f', '--', ...owned.map((name) => join(shared, name))],
      LIMIT_MS,
    );
    return;
  }
  const aside = await mkdtemp(join(shared, '.assay-left-'));
  for (const [index, name] of owned.entries())
    await rename(join(shared, name), join(aside, String(index))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  await chown(aside, user.uid, user.gid);
  await runProgramAsUser(user, ['/bin/rm', '-rf', '--', aside], LIMIT_MS);
  // What the owner cannot remove, another user has put there. It stays, where nobody can reach it.
  if (existsSync(aside)) await chown(aside, 0, 0);
}

async function ipcOptions({ uid }: ProcessUser): Promise<string[]> {
  const options: string[] = [];
  for (const [kind, id, option] of IPC) {
    const text = await readFile(`/proc/sysvipc/${kind}`, 'utf8').catch(() => '');
    const [head = '', ...rows] = text.trim().split('\n');
    const columns = head.trim().split(/\s+/);
    for (const row of rows) {
      const fields = row.trim().split(/\s+/);
      const field = (name: string): string | undefined => fields[columns.indexOf(name)];
      if ([field('uid'), field('cuid')].includes(String(uid))) options.push(option, field(id) ?? '');
    }
  }
  return options;
}
