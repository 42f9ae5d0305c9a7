import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Most files and folders of a checkout that are listed to find what a report names. */
const MAX_ENTRIES = 50_000;
/** Folders of installed or generated files, which no report means. */
const SKIPPED: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.venv',
  'venv',
  'target',
  '__pycache__',
]);

/**
 * Creates the function that finds the file which a report names relative to another folder than the top, as after `cd services/api`. A
 * path that is in the checkout, or fits no file or several, is returned as it is.
 */
export function createReportPathResolver(root: string): (path: string) => string {
  let filesByName: ReadonlyMap<string, readonly string[]> | null = null;
  return (path) => {
    if (existsSync(join(root, path))) return path;
    filesByName ??= listFilesByName(root);
    const fitting = (filesByName.get(basename(path)) ?? []).filter((file) => file.endsWith(`/${path}`));
    return fitting.length === 1 ? (fitting[0] ?? path) : path;
  };
}

function listFilesByName(root: string): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  const folders = [''];
  let entries = 0;
  for (const folder of folders)
    for (const entry of readFolder(join(root, folder))) {
      if (++entries > MAX_ENTRIES) return files;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      const known = files.get(entry.name) ?? [];
      known.push(path);
      files.set(entry.name, known);
    }
  return files;
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // The run may have taken it away.
    return [];
  }
}
