import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { copyFolder } from './copy-folder.ts';

/**
 * Cargo takes a compiled crate as fresh only if the crate's sources lie where they were compiled. So the folder of its registry has
 * one path in all sandboxes and all runs: a link that leads to the files of the run that uses it.
 */
export const createCargoHomePath = (): string => join(tmpdir(), `assay-cargo-${randomUUID()}`);

/** Whether Cargo's home is ours to place; false where this machine or the configuration sets one. */
export const canPlaceCargoHome = (
  paths: readonly string[],
  variables: Readonly<Record<string, string>>,
): boolean =>
  process.platform !== 'win32' &&
  process.env['CARGO_HOME'] === undefined &&
  variables['CARGO_HOME'] === undefined &&
  paths.some((path) => /(?:^|\/)Cargo\.toml$/.test(path));

/**
 * Makes a path lead to files of this run that all sandboxes can read.
 * @param source Cargo's home as a preparation has left it
 * @param workDir folder of this run, which others may traverse
 * @returns false where another run uses the path, or another user owns it: crates are then compiled in each sandbox.
 */
export async function shareCargoHome(path: string, source: string, workDir: string): Promise<boolean> {
  const folder = join(workDir, `cargo-${randomUUID()}`);
  try {
    const found = await lstat(path).catch(() => null);
    if (found !== null) {
      const isLeftover =
        found.isSymbolicLink() && found.uid === process.getuid?.() && !existsSync(await readlink(path));
      if (!isLeftover) return false;
      await rm(path);
    }
    await mkdir(folder, { mode: 0o755 });
    await copyFolder(source, folder, process.platform === 'linux' ? ['-dRl'] : ['-a']);
    await symlink(folder, path);
    return (await readlink(path)) === folder;
  } catch {
    return false;
  }
}

/** Removes a link that `shareCargoHome` has made for a run, which ends now. */
export async function releaseCargoHome(path: string, workDir: string): Promise<void> {
  const target = await readlink(path).catch(() => null);
  if (target?.startsWith(join(workDir, 'cargo-'))) await rm(path, { force: true });
}

/** Removes build folders, of some paths as bytes in latin1, from a checkout in which Cargo would take no crate of them as fresh. */
export async function removeCargoTargets(roots: readonly string[], checkout: string): Promise<void> {
  for (const root of roots) {
    const target = join(checkout, Buffer.from(root, 'latin1').toString('utf8'));
    if (existsSync(join(target, '.rustc_info.json'))) await removeFolder(target);
  }
}

/** Commands of others have written here: what they have put in the place of a folder, such as a link, is not followed. */
const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() ?? false;

/** Lists a folder that commands of others could have replaced; it is empty where it is none. */
const listFolder = async (path: string): Promise<string[]> => ((await isFolder(path)) ? readdir(path) : []);

/**
 * Moves what a preparation has put into Cargo's home to the home folder, where sandboxes without a placed one look for it.
 * @throws Error if commands have replaced Cargo's home
 */
export async function moveCargoHome(path: string, home: string): Promise<void> {
  if (!(await isFolder(path))) throw new Error("commands of the preparation have replaced Cargo's home");
  const target = join(home, '.cargo');
  if (!(await isFolder(target))) await removeFolder(target);
  await mkdir(target, { recursive: true });
  for (const name of await readdir(path)) {
    await removeFolder(join(target, name));
    await rename(join(path, name), join(target, name));
  }
  await removeFolder(path);
}

const UNIT = /^(.+)-([0-9a-f]{16})$/;

/**
 * Leaves of a build folder of Cargo only what it compiled from the registry. What was compiled from the tree goes, as does what
 * builds write into.
 * @param ownNames names of the packages and targets of the tree
 * @returns whether the folder is a build folder of Cargo
 */
export async function stripCargoTarget(target: string, ownNames: ReadonlySet<string>): Promise<boolean> {
  if (!existsSync(join(target, '.rustc_info.json'))) return false;
  await stripProfiles(target, ownNames, 2);
  return true;
}

/** Looks for profiles, such as `debug` and `x86_64-unknown-linux-gnu/debug`. */
async function stripProfiles(folder: string, ownNames: ReadonlySet<string>, depth: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (entry.name !== '.rustc_info.json' && entry.name !== 'CACHEDIR.TAG') await rm(path);
    } else if (existsSync(join(path, '.fingerprint'))) await stripProfile(path, ownNames);
    else if (depth > 1) await stripProfiles(path, ownNames, depth - 1);
    else await removeFolder(path);
  }
}

async function stripProfile(profile: string, ownNames: ReadonlySet<string>): Promise<void> {
  const kept = new Set<string>();
  for (const part of ['.fingerprint', 'build'])
    for (const name of await listFolder(join(profile, part))) {
      const [, crate, hash] = UNIT.exec(name) ?? [];
      if (crate !== undefined && hash !== undefined && !ownNames.has(normalizeName(crate))) kept.add(hash);
      else await removeFolder(join(profile, part, name));
    }
  for (const name of await listFolder(join(profile, 'deps')))
    if (!kept.has(/-([0-9a-f]{16})(?:\.|$)/.exec(name)?.[1] ?? ''))
      await removeFolder(join(profile, 'deps', name));
  for (const entry of await readdir(profile, { withFileTypes: true }))
    if (!entry.isDirectory() || !['.fingerprint', 'build', 'deps'].includes(entry.name))
      await removeFolder(join(profile, entry.name));
}

const normalizeName = (name: string): string => name.replaceAll('-', '_');

/**
 * Lists the names of the package and the targets that a Cargo.toml describes, and names of other things, which do no harm.
 * @returns null for a text that cannot be parsed
 */
export async function listCargoNames(manifest: string): Promise<string[] | null> {
  const { parseTomlTables } = await import('../core/toml-tables.ts');
  const tables = parseTomlTables(manifest);
  if (Object.keys(tables).length === 0 && /^\s*[^\s#]/m.test(manifest)) return null;
  return listNames(tables).map(normalizeName);
}

function listNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
    key === 'name' && typeof each === 'string' ? [each] : listNames(each),
  );
}
