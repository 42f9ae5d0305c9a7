import { compilePathFilter } from '../../../shared/lib/glob/glob.ts';
import type { Language } from '../../core/language.ts';
import type { ProjectFiles } from '../../core/project-files.ts';
import { joinFolder, listFolderAncestors } from './tool-folders.ts';

/** Most packages of a repository whose manifests are read. */
const MAX_PACKAGES = 500;

/** A package of a workspace, as its manifest describes it. */
interface WorkspacePackage {
  readonly folder: string;
  readonly name: string;
  /** Names of packages that it needs. */
  readonly needs: ReadonlySet<string>;
  /** Whether its tests are run by themselves. */
  readonly hasTests: boolean;
}

type Manifests = Readonly<Partial<Record<Language, string>>>;
const MANIFEST: Manifests = {
  python: 'pyproject.toml',
  javascript: 'package.json',
  go: 'go.mod',
  rust: 'Cargo.toml',
};
const isNotTheProject = compilePathFilter(['**/{node_modules,vendor,testdata,fixtures,__fixtures__}/**']);

/**
 * Returns the manifests of the packages that depend on those a patch touches, directly or through others, in workspaces of npm,
 * pnpm, yarn and Go, and in repositories with several projects of Python. A tool that runs for a changed file runs for them, too.
 * @returns none where the patch touches no package that others of the repository depend on
 */
export async function listDependentManifests(
  project: ProjectFiles,
  language: Language,
): Promise<readonly string[]> {
  const name = MANIFEST[language];
  if (name === undefined || language === 'rust') return [];
  const packages = await readPackages(project, language, name);
  if (packages.length < 2) return [];
  const touched = packages.filter(({ folder }) =>
    project.changedPaths.some((path) => ownerOf(packages, path)?.folder === folder),
  );
  return withDependents(packages, touched)
    .filter((each) => each.hasTests && !touched.includes(each))
    .map(({ folder }) => joinFolder(folder, name));
}

/**
 * Returns names of the members of a workspace of Cargo that a patch neither touches nor can affect through other members.
 * @param folder folder of the workspace
 * @returns null where Cargo's own choice counts: the folder is no workspace, or the patch affects no member; none where the
 *   patch touches files that count for all members, such as the manifest and the lock file of the workspace
 */
export async function listUnaffectedCrates(
  project: ProjectFiles,
  folder: string,
): Promise<readonly string[] | null> {
  const { parseTomlTables } = await import('../../core/toml-tables.ts');
  const manifest = parseTomlTables(await project.baseFile(joinFolder(folder, 'Cargo.toml')));
  const workspace = manifest['workspace'] as Table | undefined;
  if (workspace === undefined) return null;
  const members = asTexts(workspace['members']);
  if (members.length === 0) return null;
  const inFolder = (globs: readonly string[]): ((path: string) => boolean) =>
    globs.length === 0 ? () => false : compilePathFilter(globs.map((each) => joinFolder(folder, each)));
  const isMember = inFolder(members);
  const isExcluded = inFolder(asTexts(workspace['exclude']));
  // Members may depend on each other through crates that are no members, such as path dependencies.
  const packages = (await readPackages(project, 'rust', 'Cargo.toml', workspace)).filter((each) =>
    isIn(each.folder, folder),
  );
  const inside = project.changedPaths.filter((path) => isIn(path, folder));
  const owners = inside
    .filter((path) => !isPathOfNoCrate(path.slice(folder === '' ? 0 : folder.length + 1)))
    .map((path) => ownerOf(packages, path));
  if (inside.length === 0) return null;
  if (owners.length < inside.length || owners.includes(undefined)) return [];
  const touched = packages.filter((each) => owners.includes(each));
  const affected = new Set(withDependents(packages, touched));
  const crates = packages.filter(
    (each) => each.folder === folder || (isMember(each.folder) && !isExcluded(each.folder)),
  );
  const unaffected = crates.filter((each) => !affected.has(each));
  // Cargo refuses to test nothing.
  return unaffected.length === crates.length ? null : unaffected.map(({ name }) => name);
}

const isPathOfNoCrate = (path: string): boolean =>
  /^(?:Cargo\.(?:toml|lock)$|\.cargo\/|rust-toolchain)/.test(path);

function withDependents(
  packages: readonly WorkspacePackage[],
  touched: readonly WorkspacePackage[],
): WorkspacePackage[] {
  const found = new Set(touched);
  // A set hands out what is added during the walk.
  for (const { name } of found) for (const each of packages) if (each.needs.has(name)) found.add(each);
  return packages.filter((each) => found.has(each));
}

/** The innermost package that a path lies in. */
function ownerOf(packages: readonly WorkspacePackage[], path: string): WorkspacePackage | undefined {
  const folders = listFolderAncestors(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  return folders
    .toReversed()
    .flatMap((folder) => packages.find((each) => each.folder === folder) ?? [])
    .at(0);
}

async function readPackages(
  project: ProjectFiles,
  language: Language,
  manifest: string,
  workspace: Table = {},
): Promise<WorkspacePackage[]> {
  const { base } = await project.revisionPaths();
  const paths = [...base].filter(
    (path) => (path === manifest || path.endsWith(`/${manifest}`)) && !isNotTheProject(path),
  );
  if (paths.length < 2 || paths.length > MAX_PACKAGES) return [];
  if (language === 'javascript' && !(await isNodeWorkspace(project, base))) return [];
  const read = await Promise.all(
    paths.map(async (path): Promise<WorkspacePackage | null> => {
      const folder = path.slice(0, Math.max(0, path.length - manifest.length - 1));
      const described = await READERS[language]?.(
        (await project.baseFile(path)) ?? '',
        base,
        folder,
        workspace,
      );
      return described ? { folder, ...described } : null;
    }),
  );
  return read.filter((each) => each !== null);
}

async function isNodeWorkspace(
  project: Pick<ProjectFiles, 'baseFile'>,
  base: ReadonlySet<string>,
): Promise<boolean> {
  if (base.has('pnpm-workspace.yaml') || base.has('lerna.json')) return true;
  return parseJson((await project.baseFile('package.json')) ?? '')['workspaces'] !== undefined;
}

type Described = Omit<WorkspacePackage, 'folder'> | null;
type ReadManifest = (
  text: string,
  base: ReadonlySet<string>,
  folder: string,
  workspace: Table,
) => Described | Promise<Described>;

const READERS: Readonly<Partial<Record<Language, ReadManifest>>> = {
  javascript: (text) => {
    const manifest = parseJson(text);
    const { name } = manifest;
    if (typeof name !== 'string') return null;
    const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
    const scripts = manifest['scripts'] as Table | undefined;
    return {
      name,
      needs: new Set(lists.flatMap((list) => Object.keys((manifest[list] as Table | undefined) ?? {}))),
      hasTests: typeof scripts?.['test'] === 'string' && !/no test specified/.test(scripts['test']),
    };
  },
  go: (text, base, folder) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
    if (name === undefined) return null;
    const code = text.replace(/\/\/.*$/gm, '');
    const needs = [...code.matchAll(/^\s*(?:require\s+)?([\w.~-]+(?:\/[\w.~/-]+)?)\s+v\d/gm)];
    return {
      name,
      needs: new Set(needs.map(([, each = '']) => each)),
      hasTests: [...base].some((path) => path.endsWith('_test.go') && isIn(path, folder)),
    };
  },
  python: async (text, base, folder) => {
    const { parseTomlTables } = await import('../../core/toml-tables.ts');
    const manifest = parseTomlTables(text);
    const project = asTable(manifest['project']);
    const poetry = asTable(asTable(manifest['tool'])['poetry']);
    const name = project['name'] ?? poetry['name'];
    if (typeof name !== 'string') return null;
    const lists = [
      project['dependencies'],
      ...Object.values(asTable(project['optional-dependencies'])),
      ...Object.values(asTable(manifest['dependency-groups'])),
    ];
    const ofPoetry = [poetry, ...Object.values(asTable(poetry['group'])).map(asTable)];
    const needs = [
      ...lists.flatMap(asTexts).map((each) => /^\s*([\w.-]+)/.exec(each)?.[1] ?? ''),
      ...ofPoetry.flatMap((group) => Object.keys(asTable(group['dependencies']))),
    ];
    return {
      name: normalizePythonName(name),
      needs: new Set(needs.map(normalizePythonName)),
      hasTests: [...base].some((path) => isIn(path, folder) && isPythonTest(path)),
    };
  },
  rust: async (text, _base, _folder, workspace) => {
    const { parseTomlTables } = await import('../../core/toml-tables.ts');
    const manifest = parseTomlTables(text);
    const name = (manifest['package'] as Table | undefined)?.['name'];
    if (typeof name !== 'string') return null;
    const inherited = workspace['dependencies'] as Table | undefined;
    const targets = Object.values((manifest['target'] as Table | undefined) ?? {}) as Table[];
    const needs = [manifest, ...targets].flatMap((tables) =>
      ['dependencies', 'dev-dependencies', 'build-dependencies'].flatMap((list) =>
        Object.entries((tables[list] as Table | undefined) ?? {}).map(([key, value]) => {
          const isInherited = (value as Table | null)?.['workspace'] === true;
          const renamed = ((isInherited ? inherited?.[key] : value) as Table | null | undefined)?.['package'];
          return typeof renamed === 'string' ? renamed : key;
        }),
      ),
    );
    return { name, needs: new Set(needs), hasTests: true };
  },
};

type Table = Readonly<Record<string, unknown>>;
const asTable = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
/** PEP 503: names that differ in case and separators alone are one. */
const normalizePythonName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
const isPythonTest = (path: string): boolean => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path);
const isIn = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);
const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function parseJson(text: string): Table {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Table) : {};
  } catch {
    return {};
  }
}
