import {
  baseNameOf,
  joinRepositoryPath,
  listAncestorFolders,
  parentFolderOf,
  type RevisionFiles,
} from './import-resolver.ts';
import { isJsonRecord, type JsonRecord, parseJsonc } from './parse-jsonc.ts';

interface NpmPackage {
  readonly folder: string;
  readonly json: JsonRecord;
}

export interface NpmPackageIndex {
  /** Paths without certainty about their extension, in the order in which they are to be tried. */
  findCandidatePaths(from: string, specifier: string): string[];
}

/** Packages of the tree by their names, as workspaces link them, and the `#imports` of the nearest one. */
export function indexNpmPackages(files: RevisionFiles): NpmPackageIndex {
  const all = new Map<string, NpmPackage>();
  for (const [path, text] of files.moduleConfigs) {
    if (baseNameOf(path) !== 'package.json') continue;
    const json = parseJsonc(text);
    if (isJsonRecord(json)) all.set(parentFolderOf(path), { folder: parentFolderOf(path), json });
  }
  const named = new Map<string, NpmPackage>();
  for (const each of all.values())
    if (typeof each.json['name'] === 'string') named.set(each.json['name'], each);

  const nearest = (from: string): NpmPackage | null => {
    for (const folder of listAncestorFolders(parentFolderOf(from))) {
      const found = all.get(folder);
      if (found) return found;
    }
    return null;
  };

  return {
    findCandidatePaths: (from, specifier) => {
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
function inside(target: NpmPackage, rest: string): string[] {
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

const isSubpaths = (exports: unknown): exports is JsonRecord =>
  isJsonRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));

/** Targets for a key of `exports` or `imports`, `*` patterns included. */
function targetsOf(map: unknown, key: string): string[] {
  if (!isJsonRecord(map)) return [];
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
  return isJsonRecord(target) ? Object.values(target).flatMap((each) => leaves(each, depth + 1)) : [];
}

const OUTPUT = /^(dist|lib|build|out|esm|cjs)\/((esm|cjs|src)\/)?/;

/** Paths of the tree: what is built is not in it, so the sources that it is built from are tried too. */
function paths({ folder }: NpmPackage, targets: readonly string[]): string[] {
  return targets.flatMap((target) => {
    const plain = joinRepositoryPath(target);
    if (plain === null || target.startsWith('#')) return [];
    const stem = plain.replace(/(\.d)?\.[cm]?[jt]s$/, '');
    const tries = OUTPUT.test(plain)
      ? [plain, stem.replace(OUTPUT, 'src/'), stem.replace(OUTPUT, '')]
      : [plain, stem];
    return tries.flatMap((each) => joinRepositoryPath(folder, each) ?? []);
  });
}
