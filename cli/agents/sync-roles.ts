import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import * as z from 'zod';
import { RoleName } from '../../shared/contract/submission/schema.ts';
import { RoleCatalogEntry as Entry, type RoleCatalogEntry } from '../../shared/control/roles/catalog.ts';
import { REPOSITORY_ROLES_FOLDER, ROLE_FILES } from '../../shared/control/roles/role.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { isFolderInsideCatalogSource, type RoleCatalogSource } from './catalog-source.ts';

/** Records the synchronised source; kept beside the roles and committed with them. */
export const ROLES_LOCK_FILE = '.assay/agents.lock.json';
const RolesLock = z.strictObject({
  schema_version: z.literal(1),
  source: z.string(),
  ref: z.string(),
  folder: z.string().refine(isFolderInsideCatalogSource),
  /** Null: a folder of the machine. */
  commit: z.string().nullable(),
  /** SHA-256 of the files of each role that came from the catalog. A name is a folder here, and those of vanished roles are removed. */
  roles: z.record(RoleName, z.string()),
});
export type RolesLockContent = z.infer<typeof RolesLock>;

type Files = Readonly<Record<string, string>>;

/** Returns the files of a role, from its one file in the catalog. */
function roleFiles(entry: RoleCatalogEntry): Files {
  const { name: _name, system_prompt, task_prompt, ...config } = Entry.parse(entry);
  return {
    [ROLE_FILES.config]: stringify(config),
    [ROLE_FILES.system]: system_prompt.endsWith('\n') ? system_prompt : `${system_prompt}\n`,
    ...(task_prompt === undefined ? {} : { [ROLE_FILES.task]: task_prompt }),
  };
}

const digest = (files: Files): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');

export async function readRolesLock(root: string): Promise<RolesLockContent | null> {
  const text = await readFile(join(root, ROLES_LOCK_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return RolesLock.parse(JSON.parse(text));
  } catch {
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_lock', `${ROLES_LOCK_FILE} is not valid.`, {
      hint: 'Restore it from an earlier commit, or remove it and synchronise with --force.',
    });
  }
}

/** @throws CliError if a part of a path that is written is a link: it could lead out of the folder */
async function refuseLinks(root: string, path: string): Promise<void> {
  let at = root;
  for (const part of path.split('/')) {
    at = join(at, part);
    if ((await lstat(at).catch(() => null))?.isSymbolicLink())
      throw new CliError(
        CLI_EXIT_CODES.usage,
        'link',
        `${path}: ${part} is a link; files are not written through links.`,
      );
  }
}

async function presentFiles(root: string, name: string): Promise<Files> {
  const files: Record<string, string> = {};
  for (const file of Object.values(ROLE_FILES)) {
    const path = `${REPOSITORY_ROLES_FOLDER}/${name}/${file}`;
    await refuseLinks(root, path);
    const text = await readFile(join(root, path), 'utf8').catch(() => null);
    if (text !== null) files[file] = text;
  }
  return files;
}

export interface SyncedRole {
  readonly name: string;
  readonly change: 'added' | 'changed' | 'removed' | 'unchanged';
}

/**
 * Writes the roles of a catalog into a folder and removes those that the catalog no longer has. Idempotent.
 * @throws CliError, before anything is written, if a role was changed here or did not come from the catalog
 */
export async function syncRoles(
  root: string,
  source: RoleCatalogSource,
  commit: string | null,
  entries: readonly RoleCatalogEntry[],
  force: boolean,
): Promise<readonly SyncedRole[]> {
  const lock = await readRolesLock(root);
  const wanted = new Map(entries.map((entry) => [entry.name, roleFiles(entry)]));
  const gone = Object.keys(lock?.roles ?? {}).filter((name) => !wanted.has(name));
  const plan: SyncedRole[] = [];
  const foreign: string[] = [];
  for (const name of [...wanted.keys(), ...gone].sort()) {
    const present = await presentFiles(root, name);
    const here = Object.keys(present).length > 0;
    const files = wanted.get(name);
    if (files && digest(files) === digest(present)) plan.push({ name, change: 'unchanged' });
    else if (here && lock?.roles[name] !== digest(present) && !force) foreign.push(name);
    else if (files) plan.push({ name, change: here ? 'changed' : 'added' });
    else if (here) plan.push({ name, change: 'removed' });
  }
  if (foreign.length > 0)
    throw new CliError(
      CLI_EXIT_CODES.conflict,
      'changed_here',
      `Not from this catalog, or changed here: ${foreign.join(', ')}. Nothing was written.`,
      {
        hint: 'Rename your own roles, or overwrite them with --force.',
      },
    );
  for (const { name, change } of plan) {
    const folder = join(root, REPOSITORY_ROLES_FOLDER, name);
    if (change === 'unchanged') continue;
    // Only the files of the role are removed: others in the folder are not from the catalog.
    for (const file of Object.values(ROLE_FILES)) await rm(join(folder, file), { force: true });
    for (const [file, text] of Object.entries(wanted.get(name) ?? {})) await put(join(folder, file), text);
    if (change === 'removed') await rmdir(folder).catch(() => {});
  }
  const roles = Object.fromEntries(
    [...wanted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, files]) => [name, digest(files)]),
  );
  const next: RolesLockContent = { schema_version: 1, ...source, commit, roles };
  await refuseLinks(root, ROLES_LOCK_FILE);
  if (JSON.stringify(next) !== JSON.stringify(lock))
    await put(join(root, ROLES_LOCK_FILE), `${JSON.stringify(next, null, 2)}\n`);
  return plan;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
