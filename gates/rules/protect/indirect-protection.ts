import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile, type ListedFile, listFiles } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { PathVersions } from './path-versions.ts';
import type { Protection } from './protection-rule.ts';
import { isShadowingModule } from './shadowing-modules.ts';
import { findVendorRoot, isInUnchangedPackage, type VendorFolder } from './vendored-packages.ts';

/** Files that no configuration is named after: code, data and links may be loaded by one. */
const LOADABLE = /\.(?:json[c5]?|[cm]?[jt]sx?|py|ya?ml|toml)$|(?:^|\/)[^./]+$/;
/** Largest list of vendored modules, in bytes. */
const MAX_LIST_BYTES = 8 * 1_048_576;

/** Files that steer checks not by their own name, but by what else the base commit has. */
export class IndirectProtection {
  readonly #referenced: ReadonlySet<string>;
  readonly #top: ReadonlySet<string>;
  readonly #vendored: ReadonlyMap<string, VendorFolder>;
  /** Folders of Go code. */
  readonly #go: ReadonlySet<string>;

  private constructor(
    referenced: ReadonlySet<string>,
    top: ReadonlySet<string>,
    vendored: ReadonlyMap<string, VendorFolder>,
    go: ReadonlySet<string>,
  ) {
    this.#referenced = referenced;
    this.#top = top;
    this.#vendored = vendored;
    this.#go = go;
  }

  /** Looks at the base for the touched paths; not at all where none of them could be meant. */
  static async load(
    store: GitStore,
    base: string,
    touched: readonly PathVersions[],
  ): Promise<IndirectProtection> {
    const loadable = touched.some(({ path }) => LOADABLE.test(path));
    const modules = touched.some(isNewModule);
    const roots = new Set(touched.flatMap(({ path }) => findVendorRoot(path) ?? []));
    if (!loadable && !modules && roots.size === 0)
      return new IndirectProtection(new Set(), new Set(), new Map(), new Set());
    const files = await listFiles(store, base);
    const referenced = loadable
      ? await (await import('./config-references.ts')).findReferencedFiles(store, files)
      : new Set<string>();
    const top = new Set(files.map(({ path }) => (path.split('/', 1)[0] ?? '').replace(/\.py$/, '')));
    const vendored = new Map<string, VendorFolder>();
    for (const root of roots) vendored.set(root, await vendorFolder(store, root, files, touched));
    const go = modules ? foldersOfGo(files) : new Set<string>();
    return new IndirectProtection(referenced, top, vendored, go);
  }

  /** A go.mod in the midst of known code: `./...` no longer leads there. */
  findNestedModuleProtection(side: PathVersions): Protection | null {
    return isNewModule(side) && this.#go.has(side.path.slice(0, -'/go.mod'.length))
      ? {
          class: 'manifest',
          reason: 'takes known code out of its module, and so out of its tests',
          restoreScope: 'whole',
        }
      : null;
  }

  findProtection({ path, base }: PathVersions): Protection | null {
    if (this.#referenced.has(path))
      return {
        class: 'test_config',
        reason: 'loaded by the configuration of the checks',
        restoreScope: 'whole',
      };
    if (base === null && isShadowingModule(path, (name) => this.#top.has(name)))
      return {
        class: 'intrusion',
        reason: 'hides a module that the checks are made of',
        restoreScope: 'whole',
      };
    const root = findVendorRoot(path);
    const folder = root === null ? undefined : this.#vendored.get(root);
    return folder && isInUnchangedPackage(path, folder)
      ? {
          class: 'dependencies',
          reason: 'vendored package whose version stays the same',
          restoreScope: 'whole',
        }
      : null;
  }
}

/** A module within another one. */
const isNewModule = ({ path, base }: PathVersions): boolean => base === null && path.endsWith('/go.mod');

/** Folders that have code of Go, also further down. */
function foldersOfGo(files: readonly ListedFile[]): Set<string> {
  const folders = new Set<string>();
  for (const { path } of files) {
    if (!path.endsWith('.go')) continue;
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

async function vendorFolder(
  store: GitStore,
  root: string,
  files: readonly ListedFile[],
  touched: readonly PathVersions[],
): Promise<VendorFolder> {
  const list = `${root}modules.txt`;
  const there = files.find((file) => file.path === list && isRegularFile(file));
  const change = touched.find(({ path }) => path === list);
  const crates = new Set(
    files.flatMap(({ path }) =>
      path.startsWith(root) && path.endsWith('/.cargo-checksum.json')
        ? [path.slice(0, path.lastIndexOf('/'))]
        : [],
    ),
  );
  const text = async (id: string | undefined): Promise<string | null> =>
    id === undefined ? null : ((await blobs(store, [id])).get(id)?.toString('utf8') ?? null);
  const before = await text(there?.id);
  const manifests = new Map<string, boolean>();
  for (const folder of crates) {
    const manifest = touched.find(({ path }) => path === `${folder}/Cargo.toml`);
    const [then, now] = manifest
      ? [await text(manifest.base?.id), await text(manifest.head?.id)]
      : [null, null];
    manifests.set(folder, versionOf(then) === versionOf(now));
  }
  return {
    root,
    modules: before === null ? null : { base: before, head: change ? await text(change.head?.id) : before },
    isSameCrate: (folder) => manifests.get(folder) ?? false,
  };
}

const versionOf = (manifest: string | null): string | null =>
  /^[ \t]*version[ \t]*=[ \t]*"([^"\n]{1,100})"/m.exec(manifest ?? '')?.[1] ?? null;

async function blobs(store: GitStore, ids: readonly string[]): Promise<Map<string, Buffer>> {
  try {
    return await readBlobs(store, ids, MAX_LIST_BYTES);
  } catch (error) {
    if (error instanceof CheckoutError) return new Map();
    throw error;
  }
}
