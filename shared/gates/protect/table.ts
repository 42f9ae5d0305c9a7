import { foldPath, pathsTest } from '../../glob/glob.ts';
import { RULES } from './rules.ts';

/** How much of a changed file is put back to the base: all of it, or the parts that steer checks. */
export type Extent =
  | 'whole'
  | 'package_json'
  | 'deno_json'
  | 'cargo_toml'
  | 'pyproject_toml'
  | 'sections'
  | 'go_mod'
  | 'conftest';

export interface Protection {
  readonly reason: string;
  readonly extent: Extent;
}

export interface Rule extends Protection {
  /** Globs of file names, in any folder. */
  readonly names?: readonly string[];
  /** Globs of whole paths. */
  readonly paths?: readonly string[];
}

interface Compiled {
  readonly rule: Rule;
  matches(name: string, path: string): boolean;
}

const WILDCARD = /[*?[{]/;

const compile = (rule: Rule): Compiled => {
  const names = (rule.names ?? []).map(foldPath);
  const plain = new Set(names.filter((name) => !WILDCARD.test(name)));
  const patterns = names.filter((name) => WILDCARD.test(name));
  const isName = patterns.length === 0 ? () => false : pathsTest(patterns);
  const isPath = rule.paths === undefined ? () => false : pathsTest(rule.paths);
  return { rule, matches: (name, path) => plain.has(name) || isName(name) || isPath(path) };
};

let compiled: readonly Compiled[] | null = null;

/** The rule that protects a path, or null. Case and Unicode form make no difference: some readers know none. */
export function protection(path: string): Protection | null {
  compiled ??= RULES.map(compile);
  const folded = foldPath(path);
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  return compiled.find((each) => each.matches(name, folded))?.rule ?? null;
}
