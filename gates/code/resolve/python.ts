import type { ImportReference } from '../imports/import-reference.ts';
import {
  baseNameOf,
  type ImportResolver,
  type ImportTarget,
  isInFolder,
  joinRepositoryPath,
  listAncestorFolders,
  parentFolderOf,
  type RevisionFiles,
} from './import-resolver.ts';

const PROJECT_FILES = new Set(['pyproject.toml', 'setup.py', 'setup.cfg']);

/**
 * Packages and modules as Python's import system finds them when every project of the tree is installed: from the project's folder,
 * its `src`, and wherever a top-level package lies. A script also finds what lies beside it.
 */
export function createPythonResolver(files: RevisionFiles): ImportResolver {
  const roots = rootsOf(files);
  const module = (path: string): string | null =>
    [`${path}/__init__.py`, `${path}.py`, `${path}/__init__.pyi`, `${path}.pyi`].find((file) =>
      files.has(file),
    ) ?? null;

  const startsOf = (from: string): string[] => {
    const folder = parentFolderOf(from);
    const isScript = !files.has(`${folder}/__init__.py`);
    const above = [...listAncestorFolders(folder)].filter((each) => roots.has(each));
    const beside = [...roots].filter((root) => !isInFolder(root, from));
    return [...(isScript ? [folder] : []), ...above, ...beside];
  };

  return (from, reference) => {
    const { specifier } = reference;
    if (specifier === null) return [];
    const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
    const path = specifier.slice(dots).replaceAll('.', '/');
    const starts =
      dots > 0
        ? [joinRepositoryPath(parentFolderOf(from), ...Array<string>(dots - 1).fill('..'))]
        : startsOf(from);
    for (const start of starts) {
      const place = start === null ? null : joinRepositoryPath(start, path);
      if (place === null) continue;
      const targets = inPackage(place, reference, module);
      if (targets.length > 0) return targets;
    }
    return [];
  };
}

/** What `from place import names` loads: a name is a module of the package, or something in the package itself. */
function inPackage(
  place: string,
  { names }: ImportReference,
  module: (path: string) => string | null,
): readonly ImportTarget[] {
  const own = module(place);
  const targets: ImportTarget[] = [];
  const rest = names.filter(({ name, local }) => {
    const inner = name === '*' ? null : module(place === '' ? name : `${place}/${name}`);
    if (inner !== null) targets.push({ module: inner, names: [{ name: '*', local }] });
    return inner === null;
  });
  if (own !== null && (rest.length > 0 || names.length === 0)) targets.push({ module: own, names: rest });
  return targets;
}

function rootsOf(files: RevisionFiles): Set<string> {
  const roots = new Set(['', 'src']);
  for (const path of files.paths) {
    const folder = parentFolderOf(path);
    if (PROJECT_FILES.has(baseNameOf(path))) {
      roots.add(folder);
      roots.add(joinRepositoryPath(folder, 'src') ?? 'src');
    } else if (baseNameOf(path) === '__init__.py' && folder !== '') {
      const parent = parentFolderOf(folder);
      if (!files.has(parent === '' ? '__init__.py' : `${parent}/__init__.py`)) roots.add(parent);
    }
  }
  return roots;
}
