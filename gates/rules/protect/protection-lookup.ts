import type { ChangedProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import { expandBraces } from '../../../shared/lib/glob/expand-braces.ts';
import { compileGlob, foldPathCase, type PathMatcher } from '../../../shared/lib/glob/glob.ts';
import { type GlobSegment, isSegmentMatch, parseGlobSegment } from '../../../shared/lib/glob/segment.ts';
import type { GitTreeEntry } from '../../../workspace/git/file-changes.ts';
import type { FileProtection } from './protection-rule.ts';
import { FILE_PROTECTION_RULES } from './protection-rules.ts';

/** A path on both sides of the patch. */
export interface ChangedPathEntries {
  readonly path: string;
  readonly base: GitTreeEntry | null;
  readonly head: GitTreeEntry | null;
}

/** What the patch does to it. */
export const classifyChange = ({ base, head }: ChangedPathEntries): ChangedProtectedFile['change'] =>
  base === null ? 'added' : head === null ? 'deleted' : 'modified';

/** A name with wildcards, and the place of its rule. */
interface NamePattern {
  readonly tokens: Exclude<GlobSegment, '**'>;
  readonly rule: number;
}

/** A whole path with wildcards, and the place of its rule. */
interface PathPattern {
  readonly matches: PathMatcher;
  readonly rule: number;
}

const WILDCARD = /[*?[\\]/;

/**
 * The rules, made ready for many paths: plain names by themselves, names with wildcards by the character that they begin with, and
 * whole paths by a name that must be in them.
 */
class ProtectionTable {
  readonly #plain = new Map<string, number>();
  readonly #patterns = new Map<string, NamePattern[]>();
  readonly #paths = new Map<string, PathPattern[]>();

  constructor() {
    for (const [rule, { names = [], paths = [] }] of FILE_PROTECTION_RULES.entries()) {
      for (const name of names.flatMap((glob) => expandBraces(foldPathCase(glob)))) this.#addName(name, rule);
      for (const path of paths.flatMap((glob) => expandBraces(foldPathCase(glob)))) this.#addPath(path, rule);
    }
  }

  #addName(name: string, rule: number): void {
    if (!WILDCARD.test(name)) {
      if (!this.#plain.has(name)) this.#plain.set(name, rule);
      return;
    }
    const tokens = parseGlobSegment(name);
    if (tokens === '**') throw new Error(`"${name}" protects every file`);
    const first = WILDCARD.test(name.slice(0, 1)) ? '' : name.slice(0, 1);
    this.#patterns.set(first, [...(this.#patterns.get(first) ?? []), { tokens, rule }]);
  }

  #addPath(path: string, rule: number): void {
    const name = path.split('/').find((segment) => !WILDCARD.test(segment)) ?? '';
    const pattern = { matches: compileGlob(path, { dot: true }), rule };
    this.#paths.set(name, [...(this.#paths.get(name) ?? []), pattern]);
  }

  /** Place of the first rule that matches; null: none does. */
  find(path: string): number | null {
    const name = path.slice(path.lastIndexOf('/') + 1);
    let found = this.#plain.get(name) ?? null;
    const isBetter = (rule: number): boolean => found === null || rule < found;
    const patterns = [...(this.#patterns.get(name.slice(0, 1)) ?? []), ...(this.#patterns.get('') ?? [])];
    const characters = patterns.length > 0 ? [...name] : [];
    for (const { tokens, rule } of patterns)
      if (isBetter(rule) && isSegmentMatch(tokens, characters, true)) found = rule;
    for (const each of ['', ...new Set(path.split('/'))])
      for (const { matches, rule } of this.#paths.get(each) ?? [])
        if (isBetter(rule) && matches(path)) found = rule;
    return found;
  }
}

let table: ProtectionTable | null = null;

/** The rule that protects a path, or null. Case and Unicode form make no difference: some readers know none. */
export function findFileProtection(path: string): FileProtection | null {
  table ??= new ProtectionTable();
  const rule = table.find(foldPathCase(path));
  return rule === null ? null : (FILE_PROTECTION_RULES[rule] ?? null);
}
