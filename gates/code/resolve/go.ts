import { folderOf, isBelow, joined, nameOf, type Resolver, type TreeFiles } from './resolver.ts';

interface Module {
  readonly folder: string;
  readonly path: string;
}

/** Packages by the module path in `go.mod`; those of other modules of the tree too, as `go.work` or `replace` would find them. */
export function goResolver(files: TreeFiles): Resolver {
  const modules: Module[] = [...files.settings]
    .filter(([path]) => nameOf(path) === 'go.mod')
    .flatMap(([path, text]) => {
      const name = /^module[ \t]+"?([^\s"]+)/m.exec(text)?.[1];
      return name === undefined ? [] : [{ folder: folderOf(path), path: name }];
    })
    .sort((a, b) => b.path.length - a.path.length);
  const packages = new Set(
    files.paths.filter((path) => path.endsWith('.go') && !path.endsWith('_test.go')).map(goPackage),
  );
  return (_from, { specifier, names }) => {
    if (specifier === null) return [];
    const home = modules.find(({ path }) => isBelow(path, specifier));
    const folder = home && joined(home.folder, specifier.slice(home.path.length));
    const module = folder === '' ? '.' : folder;
    return module != null && packages.has(module) ? [{ module, names }] : [];
  };
}

/** The package that a Go file belongs to, by its folder; `.` is the root. */
export const goPackage = (path: string): string => folderOf(path) || '.';
