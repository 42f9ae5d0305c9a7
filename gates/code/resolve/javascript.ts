import { type ImportResolver, joinInTree, parentFolderOf, type TreeFiles } from './import-resolver.ts';
import { indexNpmPackages, type NpmPackageIndex } from './npm-packages.ts';
import { createTsconfigPathResolver } from './tsconfig-paths.ts';

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
export function createJavascriptResolver(files: TreeFiles): ImportResolver {
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
    if (/^\.{1,2}(\/|$)/.test(bare)) return file(joinInTree(parentFolderOf(from), bare));
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
