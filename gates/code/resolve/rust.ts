import {
  baseNameOf,
  type ImportResolver,
  type ImportTarget,
  joinRepositoryPath,
  listAncestorFolders,
  parentFolderOf,
  type RevisionFiles,
} from './import-resolver.ts';

/** Modules of a crate by the layout of its files, and the crates of the tree by the names in their `Cargo.toml`. */
export function createRustResolver(files: RevisionFiles): ImportResolver {
  const libraries = librariesOf(files);
  const roots = new Set(libraries.values());
  const isRoot = (path: string): boolean => roots.has(path) || isCrateRoot(path, files);

  /** The folder in which the modules lie that a file declares. */
  const inside = (path: string): string =>
    isRoot(path) || baseNameOf(path) === 'mod.rs' ? parentFolderOf(path) : path.slice(0, -'.rs'.length);
  const childOf = (path: string, name: string): string | null => {
    const at = inside(path);
    const place = at === '' ? name : `${at}/${name}`;
    return [`${place}.rs`, `${place}/mod.rs`].find((file) => files.has(file) && !isRoot(file)) ?? null;
  };
  const parentOf = (path: string): string | null => {
    if (isRoot(path)) return null;
    const folder =
      baseNameOf(path) === 'mod.rs' ? parentFolderOf(parentFolderOf(path)) : parentFolderOf(path);
    const owners = ['lib.rs', 'main.rs', 'mod.rs'].map((name) =>
      folder === '' ? name : `${folder}/${name}`,
    );
    return [`${folder}.rs`, ...owners].find((file) => file !== path && files.has(file)) ?? null;
  };
  const rootOf = (path: string): string | null => {
    let at = path;
    for (let up = parentOf(at); up !== null; up = parentOf(at)) at = up;
    return isRoot(at) ? at : null;
  };

  const startOf = (from: string, parts: string[]): string | null => {
    const first = parts.shift();
    if (first === 'self') return from;
    if (first === 'crate') return rootOf(from);
    if (first === 'super') {
      let at = parentOf(from);
      for (; at !== null && parts[0] === 'super'; parts.shift()) at = parentOf(at);
      return at;
    }
    if (first === undefined) return null;
    // A module beside comes before a crate of the same name.
    return childOf(from, first) ?? libraries.get(first) ?? null;
  };

  return (from, { specifier, names }) => {
    if (specifier === null) return [];
    const [path = '', file] = specifier.split('=');
    if (file !== undefined) return existing(joinRepositoryPath(parentFolderOf(from), file), files);
    const parts = path.split('::');
    let at = startOf(from, parts);
    for (let next = parts[0]; at !== null && next !== undefined; next = parts[0]) {
      const child = childOf(at, next);
      if (child === null) break;
      at = child;
      parts.shift();
    }
    if (at === null || at === from) return [];
    const local = names[0]?.local ?? null;
    const [name] = parts;
    return [
      { module: at, names: name === undefined ? [{ name: '*', local }] : [{ name, local: local ?? name }] },
    ];
  };
}

const existing = (path: string | null, files: RevisionFiles): ImportTarget[] =>
  path !== null && files.has(path) ? [{ module: path, names: [] }] : [];

/** Root file of each library crate, by the name that code uses. */
function librariesOf(files: RevisionFiles): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, text] of files.moduleConfigs) {
    if (baseNameOf(path) !== 'Cargo.toml') continue;
    const name = section(text, 'lib', 'name') ?? section(text, 'package', 'name');
    const root = joinRepositoryPath(parentFolderOf(path), section(text, 'lib', 'path') ?? 'src/lib.rs');
    if (name !== null && root !== null && files.has(root)) found.set(name.replaceAll('-', '_'), root);
  }
  return found;
}

/** A text value of a TOML section, e.g. `name` of `[package]`. */
function section(text: string, header: string, key: string): string | null {
  const start = text.search(new RegExp(`^[ \\t]*\\[${header}\\]`, 'm'));
  if (start < 0) return null;
  const rest = text.slice(text.indexOf(']', start) + 1);
  const end = rest.search(/^[ \t]*\[/m);
  return (
    new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*"([^"\\n]*)"`, 'm').exec(
      end < 0 ? rest : rest.slice(0, end),
    )?.[1] ?? null
  );
}

const TARGET_FOLDERS = ['src/bin', 'tests', 'examples', 'benches'];

/** Whether a file is where the compiler starts, by Cargo's own layout. */
function isCrateRoot(path: string, files: RevisionFiles): boolean {
  const name = baseNameOf(path);
  const folder = parentFolderOf(path);
  if (name === 'lib.rs' || name === 'main.rs') return true;
  for (const home of listAncestorFolders(folder)) {
    if (!files.moduleConfigs.has(home === '' ? 'Cargo.toml' : `${home}/Cargo.toml`)) continue;
    const inner = home === '' ? folder : folder.slice(home.length + 1);
    return TARGET_FOLDERS.includes(inner) || (inner === '' && name === 'build.rs');
  }
  return false;
}
