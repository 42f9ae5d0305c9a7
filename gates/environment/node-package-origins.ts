import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { isRegularFile, listFiles } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { writeNewFile } from '../../workspace/process/write-new-file.ts';
import type { SandboxFolders } from '../core/sandbox-extension.ts';
import { readReportFile } from '../tests/running/report-file.ts';

/** A package of Node whose code a patch changes. */
export interface ChangedNodePackage {
  readonly name: string;
  /** '' is the top. */
  readonly folder: string;
  /** Folders in which an installed copy of it can lie. */
  readonly installFolders: readonly string[];
}

/** An installed copy of a changed package: no link to its folder in the checkout. */
interface InstalledCopy extends ChangedNodePackage {
  /** Its real path. */
  readonly path: string;
}

const CODE = /\.[cm]?[jt]sx?$/;
/** Most packages of a repository that are looked at. */
const MAX_PACKAGES = 500;
/** Most bytes of answers that are read. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Lists the packages that changed files of JavaScript and TypeScript belong to, without files of tests. */
export async function listChangedNodePackages(
  store: GitStore,
  tree: string,
  changedPaths: readonly string[],
): Promise<ChangedNodePackage[]> {
  const changed = changedPaths.filter((path) => CODE.test(path) && !isTestPath(path));
  if (changed.length === 0) return [];
  const manifests = (await listFiles(store, tree)).filter(
    (file) => /(?:^|\/)package\.json$/.test(file.path) && isRegularFile(file),
  );
  if (manifests.length > MAX_PACKAGES) return [];
  const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const folders = manifests.map(({ path }) => folderOf(path));
  const owners = new Set(
    changed.map((path) =>
      folders
        .filter((folder) => folder === '' || path.startsWith(`${folder}/`))
        .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), ''),
    ),
  );
  const owning = manifests.filter(({ path }) => owners.has(folderOf(path)));
  const texts = await readBlobs(
    store,
    owning.map(({ id }) => id),
  );
  return owning.flatMap(({ path, id }) => {
    const name = readName(texts.get(id)?.toString('utf8') ?? '');
    return name === null ? [] : [{ name, folder: folderOf(path), installFolders: folders }];
  });
}

/** Names with a way out of `node_modules` are none. */
function readName(manifest: string): string | null {
  try {
    const { name } = JSON.parse(manifest) as { name?: unknown };
    return typeof name === 'string' && /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name) ? name : null;
  } catch {
    return null;
  }
}

async function findInstalledCopies(
  { checkout }: SandboxFolders,
  packages: readonly ChangedNodePackage[],
): Promise<InstalledCopy[]> {
  const copies = new Map<string, InstalledCopy>();
  for (const each of packages)
    for (const folder of new Set(['', ...each.installFolders])) {
      const installed = join(checkout, folder, 'node_modules', each.name);
      const path = existsSync(installed) ? await realpath(installed).catch(() => null) : null;
      if (path !== null && path !== join(checkout, each.folder)) copies.set(path, { ...each, path });
    }
  return [...copies.values()];
}

const ORIGINS_VARIABLE = 'ASSAY_NODE_ORIGINS';

/**
 * Every process of Node runs this first. It tells which files of the packages it reads. Loaders of test runners read sources
 * themselves, so reads of files count like imports.
 */
const PROBE = String.raw`'use strict';
const fs = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');
const target = process.env.${ORIGINS_VARIABLE};
const folders = %FOLDERS%;
const told = new Set();
const { appendFileSync, readFileSync, readFile } = fs;
const { readFile: readFilePromise } = fs.promises;
const tell = (file) => {
  try {
    const path = file instanceof URL || /^file:/.test(String(file)) ? fileURLToPath(String(file)) : String(file);
    if (told.has(path) || !/\.[cm]?[jt]sx?$/.test(path) || !folders.some((each) => path.startsWith(each + '/'))) return;
    told.add(path);
    appendFileSync(target, path + '\n');
  } catch {}
};
if (target) {
  fs.readFileSync = function (file, ...rest) { tell(file); return readFileSync.call(this, file, ...rest); };
  fs.readFile = function (file, ...rest) { tell(file); return readFile.call(this, file, ...rest); };
  fs.promises.readFile = function (file, ...rest) { tell(file); return readFilePromise.call(this, file, ...rest); };
  if (registerHooks) registerHooks({ load: (url, context, next) => { tell(url); return next(url, context); } });
  process.on('exit', () => { for (const file of Object.keys(require.cache)) tell(file); });
}
`;

const originsFile = ({ tmp }: SandboxFolders): string => join(tmp, 'assay-node-origins');

/**
 * Makes every process of Node in a sandbox tell which files of changed packages it reads, where copies of these are installed.
 * @returns the variables that do so; none where the packages can only be loaded from the checkout.
 */
export async function addNodePackageProbe(
  folders: SandboxFolders,
  packages: readonly ChangedNodePackage[],
): Promise<Record<string, string>> {
  const copies = await findInstalledCopies(folders, packages);
  if (copies.length === 0) return {};
  const probe = join(folders.place, 'node-probe');
  const watched = [
    ...copies.map(({ path }) => path),
    ...copies.map(({ folder }) => join(folders.checkout, folder)),
  ];
  await writeNewFile(
    probe,
    'probe.cjs',
    PROBE.replace('%FOLDERS%', () => JSON.stringify([...new Set(watched)])),
  );
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(join(probe, 'probe.cjs'))}`,
    [ORIGINS_VARIABLE]: originsFile(folders),
  };
}

/**
 * Returns a sentence on the first changed package of which an installed copy was loaded, and nothing of the checkout; null: none.
 * A package may depend on an older release of itself, as a tool: then both are loaded.
 */
export async function findNodePackageOutsideCheckout(
  folders: SandboxFolders,
  packages: readonly ChangedNodePackage[],
): Promise<string | null> {
  if (packages.length === 0) return null;
  const answer = await readReportFile(originsFile(folders)).catch(() => null);
  if (answer === null) return null;
  const loaded = [...new Set(answer.slice(0, MAX_ANSWER_BYTES).split('\n'))];
  for (const { name, path, folder } of await findInstalledCopies(folders, packages)) {
    const own = join(folders.checkout, folder);
    const ofCopy = loaded.find((file) => file.startsWith(`${path}/`));
    const ofCheckout = loaded.some((file) => {
      const inner = file.startsWith(`${own}/`) ? file.slice(own.length + 1) : 'node_modules/';
      return !/(?:^|\/)node_modules\//.test(inner) && !isTestPath(inner);
    });
    if (ofCopy === undefined || ofCheckout) continue;
    const place = path.startsWith(`${folders.checkout}/`) ? path.slice(folders.checkout.length + 1) : path;
    return `the package ${name} was loaded from ${place}, not from ${folder === '' ? 'the checkout' : `${folder} in the checkout`}, so the run says nothing about this tree. Make it a member of the workspace, so that the package manager links it`;
  }
  return null;
}
