import {
  baseNameOf,
  type ImportResolver,
  joinRepositoryPath,
  listAncestorFolders,
  parentFolderOf,
  type RevisionFiles,
} from './import-resolver.ts';
import { indexNpmPackages, type NpmPackageIndex } from './npm-packages.ts';
import { isJsonRecord, type JsonRecord, parseJsonc } from './parse-jsonc.ts';

const EXTENSIONS = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.d.ts',
  '.d.mts',
  '.d.cts',
];
/** What TypeScript may have written where the import names its output. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};

/** Modules as Node, TypeScript and the bundlers find them: relative, by `paths`, by `imports` and `exports`, by workspace name. */
export function createJavascriptResolver(files: RevisionFiles): ImportResolver {
  const workspace: NpmPackageIndex = indexNpmPackages(files);
  const aliases = createTsconfigPathResolver(files);

  const file = (path: string | null): string | null => {
    if (path === null) return null;
    const dot = path.lastIndexOf('.');
    const sources = dot > path.lastIndexOf('/') ? (SOURCES[path.slice(dot)] ?? []) : [];
    const stem = dot < 0 ? path : path.slice(0, dot);
    const slash = path === '' ? '' : `${path}/`;
    const candidates = [
      path,
      ...sources.map((extension) => stem + extension),
      ...EXTENSIONS.map((extension) => path + extension),
      ...EXTENSIONS.map((extension) => `${slash}index${extension}`),
    ];
    return candidates.find((candidate) => files.has(candidate)) ?? null;
  };

  const found = (from: string, specifier: string): string | null => {
    const bare = specifier.replace(/[?].*$/s, '');
    if (/^\.{1,2}(\/|$)/.test(bare)) return file(joinRepositoryPath(parentFolderOf(from), bare));
    if (bare.startsWith('/')) return null;
    for (const path of [...aliases(from, bare), ...workspace.findCandidatePaths(from, bare)]) {
      const hit = file(path);
      if (hit !== null) return hit;
    }
    return null;
  };

  return (from, { specifier, names }) => {
    const module = specifier === null ? null : found(from, specifier);
    return module === null ? [] : [{ module, names }];
  };
}

interface TsconfigPaths {
  /** Folder that names without a dot may be relative to; null when there is none. */
  readonly baseUrl: string | null;
  readonly paths: readonly { readonly pattern: string; readonly to: readonly string[] }[];
}

/** A chain of `extends` that is longer goes in circles, or is made to. */
const MAX_EXTENDS = 10;

/** Paths that `paths` and `baseUrl` of the nearest tsconfig.json or jsconfig.json give for an import, in order. */
function createTsconfigPathResolver(files: RevisionFiles): (from: string, specifier: string) => string[] {
  const known = new Map<string, TsconfigPaths | null>();
  const at = (file: string): TsconfigPaths | null => {
    if (!known.has(file)) known.set(file, read(files, file, MAX_EXTENDS));
    return known.get(file) ?? null;
  };
  return (from, specifier) => {
    for (const folder of listAncestorFolders(parentFolderOf(from)))
      for (const name of ['tsconfig.json', 'jsconfig.json']) {
        const file = folder === '' ? name : `${folder}/${name}`;
        if (!files.moduleConfigs.has(file)) continue;
        const aliases = at(file);
        return aliases ? apply(aliases, specifier) : [];
      }
    return [];
  };
}

function apply({ paths, baseUrl }: TsconfigPaths, specifier: string): string[] {
  const exact = paths.find(({ pattern }) => pattern === specifier);
  const stars = paths
    .filter(({ pattern }) => matches(pattern, specifier))
    // TypeScript takes the pattern with the longest beginning.
    .sort((a, b) => b.pattern.indexOf('*') - a.pattern.indexOf('*'));
  const best = exact ?? stars[0];
  const star = best?.pattern.indexOf('*') ?? -1;
  const middle =
    best && star >= 0 ? specifier.slice(star, specifier.length - (best.pattern.length - star - 1)) : '';
  const mapped = best?.to.map((to) => to.replace('*', () => middle)) ?? [];
  const based = baseUrl === null ? null : joinRepositoryPath(baseUrl, specifier);
  return based === null ? mapped : [...mapped, based];
}

function matches(pattern: string, specifier: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return false;
  const tail = pattern.slice(star + 1);
  return (
    specifier.length >= pattern.length - 1 &&
    specifier.startsWith(pattern.slice(0, star)) &&
    specifier.endsWith(tail)
  );
}

function read(files: RevisionFiles, file: string, left: number): TsconfigPaths | null {
  const text = files.moduleConfigs.get(file);
  const config = text === undefined || left === 0 ? null : parseJsonc(text);
  if (!isJsonRecord(config)) return null;
  const options = isJsonRecord(config['compilerOptions']) ? config['compilerOptions'] : {};
  const inherited = parents(config, file)
    .map((parent) => read(files, parent, left - 1))
    .findLast((aliases) => aliases !== null);
  const folder = parentFolderOf(file);
  const baseUrl =
    typeof options['baseUrl'] === 'string'
      ? joinRepositoryPath(folder, options['baseUrl'])
      : (inherited?.baseUrl ?? null);
  const own = options['paths'];
  if (!isJsonRecord(own)) return { baseUrl, paths: inherited?.paths ?? [] };
  const paths = Object.entries(own).map(([pattern, to]) => ({
    pattern,
    to: (Array.isArray(to) ? to : []).flatMap((each) => {
      const path = typeof each === 'string' ? joinRepositoryPath(baseUrl ?? folder, each) : null;
      return path === null ? [] : [path];
    }),
  }));
  return { baseUrl, paths };
}

/** Files that a configuration extends, the last one counting most. Those of packages are not in the tree. */
function parents(config: JsonRecord, file: string): string[] {
  const extended = config['extends'];
  return (Array.isArray(extended) ? extended : [extended]).flatMap((each) => {
    if (typeof each !== 'string' || !each.startsWith('.')) return [];
    const path = joinRepositoryPath(parentFolderOf(file), each);
    if (path === null) return [];
    return [baseNameOf(path).endsWith('.json') ? path : `${path}.json`];
  });
}
