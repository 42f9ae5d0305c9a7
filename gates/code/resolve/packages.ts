import { isObject, type Json, parseJsonc } from './jsonc.ts';
import { folderOf, foldersAbove, joined, nameOf, type TreeFiles } from './resolver.ts';

interface Package {
  readonly folder: string;
  readonly json: Json;
}

export interface Workspace {
  /** Paths without certainty about their extension, in the order in which they are to be tried. */
  find(from: string, specifier: string): string[];
}

/** Packages of the tree by their names, as workspaces link them, and the `#imports` of the nearest one. */
export function packagesOf(files: TreeFiles): Workspace {
  const all = new Map<string, Package>();
  for (const [path, text] of files.settings) {
    if (nameOf(path) !== 'package.json') continue;
    const json = parseJsonc(text);
    if (isObject(json)) all.set(folderOf(path), { folder: folderOf(path), json });
  }
  const named = new Map<string, Package>();
  for (const each of all.values())
    if (typeof each.json['name'] === 'string') named.set(each.json['name'], each);

  const nearest = (from: string): Package | null => {
    for (const folder of foldersAbove(folderOf(from))) {
      const found = all.get(folder);
      if (found) return found;
    }
    return null;
  };

  return {
    find: (from, specifier) => {
      if (specifier.startsWith('#')) {
        const own = nearest(from);
        return own ? paths(own, targetsOf(own.json['imports'], specifier)) : [];
      }
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      const target = named.get(name);
      return target ? inside(target, specifier.slice(name.length + 1)) : [];
    },
  };
}

/** What `name/rest` means for a package of that name. */
function inside(target: Package, rest: string): string[] {
  const { json } = target;
  const key = rest === '' ? '.' : `./${rest}`;
  if (json['exports'] !== undefined) {
    const exports = isSubpaths(json['exports']) ? json['exports'] : { '.': json['exports'] };
    return paths(target, targetsOf(exports, key));
  }
  if (rest !== '') return paths(target, [rest]);
  const main = ['source', 'module', 'main', 'types'].flatMap((field) => {
    const value = json[field];
    return typeof value === 'string' ? [value] : [];
  });
  return paths(target, [...main, 'index', 'src/index']);
}

const isSubpaths = (exports: unknown): exports is Json =>
  isObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));

/** Targets for a key of `exports` or `imports`, `*` patterns included. */
function targetsOf(map: unknown, key: string): string[] {
  if (!isObject(map)) return [];
  if (map[key] !== undefined) return leaves(map[key]);
  const patterns = Object.keys(map)
    .filter((each) => {
      const [head = '', tail] = each.split('*');
      return tail !== undefined && key.length >= each.length && key.startsWith(head) && key.endsWith(tail);
    })
    .sort((a, b) => b.indexOf('*') - a.indexOf('*'));
  const [best] = patterns;
  if (best === undefined) return [];
  const star = best.indexOf('*');
  const middle = key.slice(star, key.length - (best.length - star - 1));
  return leaves(map[best]).map((target) => target.replaceAll('*', () => middle));
}

/** Every path that a target may stand for under some condition. */
function leaves(target: unknown, depth = 0): string[] {
  if (typeof target === 'string') return [target];
  if (depth > 10) return [];
  if (Array.isArray(target)) return target.flatMap((each) => leaves(each, depth + 1));
  return isObject(target) ? Object.values(target).flatMap((each) => leaves(each, depth + 1)) : [];
}

const OUTPUT = /^(dist|lib|build|out|esm|cjs)\/((esm|cjs|src)\/)?/;

/** Paths of the tree: what is built is not in it, so the sources that it is built from are tried too. */
function paths({ folder }: Package, targets: readonly string[]): string[] {
  return targets.flatMap((target) => {
    const plain = joined(target);
    if (plain === null || target.startsWith('#')) return [];
    const stem = plain.replace(/(\.d)?\.[cm]?[jt]s$/, '');
    const tries = OUTPUT.test(plain)
      ? [plain, stem.replace(OUTPUT, 'src/'), stem.replace(OUTPUT, '')]
      : [plain, stem];
    return tries.flatMap((each) => joined(folder, each) ?? []);
  });
}
