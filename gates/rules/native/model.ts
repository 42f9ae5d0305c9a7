/** Something that makes a test say yes too easily. */
export interface NativeWeakness {
  readonly rule: string;
  readonly message: string;
  /** 1-based. */
  readonly line: number;
}

/** One test of Go or Rust. */
export interface NativeCase {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** Its text without comments and without its name, for the same test under another one. */
  readonly body: string;
  readonly text: string;
  readonly assertions: number;
  /** Assertions that name what they expect. */
  readonly exact: number;
  /** Values that stand in it: those of its table among them. */
  readonly values: number;
  /** Why it is not run, or why its failure does not count; null: it is run. */
  readonly skipped: string | null;
}

/** The tests of one file on one side of the patch. */
export interface NativeFile {
  readonly path: string;
  readonly cases: readonly NativeCase[];
  readonly weaknesses: readonly NativeWeakness[];
  /** Names of functions and modules that are there for the tests only. */
  readonly defines: readonly string[];
  /** Code of a file that sees its crate from outside only, without comments and strings; null for all others. */
  readonly code: string | null;
}

/** Longest file, in characters, that is looked at. */
export const MAX_CHARACTERS = 512 * 1_024;

/** How often a pattern matches, with an end. */
export function countOf(code: string, pattern: RegExp, most = 10_000): number {
  let count = 0;
  for (const _ of code.matchAll(pattern)) if (++count >= most) break;
  return count;
}

const VALUES = /\b\d[\w.]{0,40}|"|\b(?:true|false)\b/g;
/** What is told when a test fails, to the end of its line. */
const TOLD = /\.(?:Errorf?|Fatalf?|Logf?|Skipf?)\s{0,5}\([^\n]{0,500}/g;
/** Values in a piece of code, without what is told of them; a string counts twice. */
export const valuesOf = (code: string): number => countOf(code.replace(TOLD, ''), VALUES);

const CALLS = /(?<![\w.])([A-Za-z_]\w{0,80})!?\s{0,5}\(/g;
/** How often code calls one of these functions. */
export function callsOf(code: string, names: ReadonlySet<string>): number {
  if (names.size === 0) return 0;
  let calls = 0;
  for (const [, name = ''] of code.matchAll(CALLS)) if (names.has(name)) calls++;
  return calls;
}
