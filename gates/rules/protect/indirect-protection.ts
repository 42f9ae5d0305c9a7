import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile, type ListedFile, listFiles } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { ChangedPathEntries } from './protection-lookup.ts';
import type { FileProtection } from './protection-rule.ts';

/** What is known of a folder of vendored packages, on both sides. */
interface VendorFolder {
  /** With its slash, e.g. `vendor/`. */
  readonly root: string;
  /** The list of Go's modules (`modules.txt`); null: it has none. */
  readonly modules: { readonly base: string; readonly head: string | null } | null;
  /** Whether the manifest of a package of Rust has the same version on both sides. */
  isSameCrate(folder: string): boolean;
}

/** The folder of vendored packages that a path is in, with its slash, or null. */
export const findVendorRoot = (path: string): string | null => /^(?:.*?\/)?vendor\//s.exec(path)?.[0] ?? null;

/**
 * Whether a file belongs to a package whose version the patch leaves as it is: such a file has no reason to change. Folders that
 * are called so and belong to no package manager that we know are the work.
 */
export function isInUnchangedPackage(path: string, { root, modules, isSameCrate }: VendorFolder): boolean {
  const inner = path.slice(root.length);
  if (modules === null)
    return inner.includes('/') && isSameCrate(`${root}${inner.slice(0, inner.indexOf('/'))}`);
  if (inner === 'modules.txt') return false;
  const before = versionsOf(modules.base);
  const after = modules.head === null ? new Map<string, string>() : versionsOf(modules.head);
  const name = [...before.keys()]
    .filter((module) => inner.startsWith(`${module}/`))
    .reduce<string | null>(
      (longest, module) => (module.length > (longest?.length ?? 0) ? module : longest),
      null,
    );
  return name !== null && before.get(name) === after.get(name);
}

/** `# example.org/module v1.2.3 => other v2`: what stands behind the name, by name. */
function versionsOf(text: string): Map<string, string> {
  const versions = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [mark, name, ...version] = line.trim().split(/\s+/);
    if (mark === '#' && name !== undefined) versions.set(name, version.join(' '));
  }
  return versions;
}

/**
 * Modules that the tools of Python are made of. A file of that name at the top of the repository is found before them, because
 * `python -m` looks there first.
 */
const TOOLS =
  'pytest _pytest pluggy unittest doctest nose nose2 coverage pytest_cov hypothesis tox nox mypy pyright pylint flake8 ruff black isort bandit vulture radon lizard mutmut pip pip_audit build setuptools';
const STANDARD =
  'abc argparse ast asyncio atexit base64 bisect collections codecs concurrent contextlib copy ctypes dataclasses datetime decimal difflib dis email encodings enum errno fnmatch fractions functools gc getopt getpass gettext glob hashlib heapq html http importlib inspect io itertools json keyword linecache locale logging marshal math multiprocessing numbers opcode operator os pathlib pdb pickle pkgutil platform posixpath pprint queue random re reprlib runpy select selectors shlex shutil signal site socket sqlite3 ssl stat statistics string struct subprocess sys sysconfig tempfile textwrap threading time timeit token tokenize tomllib traceback types typing unicodedata urllib uuid warnings weakref xml zipfile zlib';
const MODULES: ReadonlySet<string> = new Set(`${TOOLS} ${STANDARD}`.split(' '));

/**
 * Whether a path hides a module that the checks are made of.
 * @param isKnown whether the base has something of that name at the top already: then it is the work.
 */
export function isShadowingCheckModule(path: string, isKnown: (name: string) => boolean): boolean {
  const [first = '', ...rest] = path.split('/');
  if (rest.length === 0 ? !/\.(?:py|pyc|so)$/.test(first) : !/\.(?:pyc?|so)$/.test(rest.at(-1) ?? ''))
    return false;
  const module = rest.length === 0 ? first.replace(/\..*$/s, '') : first;
  return MODULES.has(module) && !isKnown(module);
}

/** Files that no configuration is named after: code, data and links may be loaded by one. */
const LOADABLE = /\.(?:json[c5]?|[cm]?[jt]sx?|py|ya?ml|toml)$|(?:^|\/)[^./]+$/;
/** Largest list of vendored modules, in bytes. */
const MAX_LIST_BYTES = 8 * 1_048_576;

/** Files that steer checks not by their own name, but by what else the base commit has. */
export class IndirectlyProtectedFiles {
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
    touched: readonly ChangedPathEntries[],
  ): Promise<IndirectlyProtectedFiles> {
    const loadable = touched.some(({ path }) => LOADABLE.test(path));
    const modules = touched.some(isNewModule);
    const roots = new Set(touched.flatMap(({ path }) => findVendorRoot(path) ?? []));
    if (!loadable && !modules && roots.size === 0)
      return new IndirectlyProtectedFiles(new Set(), new Set(), new Map(), new Set());
    const files = await listFiles(store, base);
    const referenced = loadable
      ? await (await import('./config-references.ts')).findReferencedFiles(store, files)
      : new Set<string>();
    const top = new Set(files.map(({ path }) => (path.split('/', 1)[0] ?? '').replace(/\.py$/, '')));
    const vendored = new Map<string, VendorFolder>();
    for (const root of roots) vendored.set(root, await vendorFolder(store, root, files, touched));
    const go = modules ? foldersOfGo(files) : new Set<string>();
    return new IndirectlyProtectedFiles(referenced, top, vendored, go);
  }

  /** A go.mod in the midst of known code: `./...` no longer leads there. */
  findNestedModuleProtection(side: ChangedPathEntries): FileProtection | null {
    return isNewModule(side) && this.#go.has(side.path.slice(0, -'/go.mod'.length))
      ? {
          kind: 'manifest',
          reason: 'takes known code out of its module, and so out of its tests',
          restoreScope: 'whole',
        }
      : null;
  }

  findProtection({ path, base }: ChangedPathEntries): FileProtection | null {
    if (this.#referenced.has(path))
      return {
        kind: 'test_config',
        reason: 'loaded by the configuration of the checks',
        restoreScope: 'whole',
      };
    if (base === null && isShadowingCheckModule(path, (name) => this.#top.has(name)))
      return {
        kind: 'intrusion',
        reason: 'hides a module that the checks are made of',
        restoreScope: 'whole',
      };
    const root = findVendorRoot(path);
    const folder = root === null ? undefined : this.#vendored.get(root);
    return folder && isInUnchangedPackage(path, folder)
      ? {
          kind: 'dependencies',
          reason: 'vendored package whose version stays the same',
          restoreScope: 'whole',
        }
      : null;
  }
}

/** A module within another one. */
const isNewModule = ({ path, base }: ChangedPathEntries): boolean =>
  base === null && path.endsWith('/go.mod');

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
  touched: readonly ChangedPathEntries[],
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
