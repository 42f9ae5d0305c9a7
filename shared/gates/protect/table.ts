import { foldPath, pathsTest } from '../../glob/glob.ts';
import type { Protection, Rule } from './rule.ts';
import { RULES } from './rules.ts';

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
