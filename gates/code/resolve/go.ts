import {
  baseNameOf,
  type ImportResolver,
  isInFolder,
  joinRepositoryPath,
  parentFolderOf,
  type RevisionFiles,
} from './import-resolver.ts';

interface GoModule {
  readonly folder: string;
  readonly path: string;
}

/** Packages by the module path in `go.mod`; those of other modules of the tree too, as `go.work` or `replace` would find them. */
export function createGoResolver(files: RevisionFiles): ImportResolver {
  const modules: GoModule[] = [...files.moduleConfigs]
    .filter(([path]) => baseNameOf(path) === 'go.mod')
    .flatMap(([path, text]) => {
      const name = /^module[ \t]+"?([^\s"]+)/m.exec(text)?.[1];
      return name === undefined ? [] : [{ folder: parentFolderOf(path), path: name }];
    })
    .sort((a, b) => b.path.length - a.path.length);
  const packages = new Set(
    files.paths.filter((path) => path.endsWith('.go') && !path.endsWith('_test.go')).map(goPackageOfPath),
  );
  return (_from, { specifier, names }) => {
    if (specifier === null) return [];
    const home = modules.find(({ path }) => isInFolder(path, specifier));
    const folder = home && joinRepositoryPath(home.folder, specifier.slice(home.path.length));
    const module = folder === '' ? '.' : folder;
    return module != null && packages.has(module) ? [{ module, names }] : [];
  };
}

/** The package that a Go file belongs to, by its folder; `.` is the root. */
export const goPackageOfPath = (path: string): string => parentFolderOf(path) || '.';
