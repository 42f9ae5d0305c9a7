import type { Syntax } from '../../../code/syntax.ts';

/**
 * How much an assertion asks. 3: a value, or the kind of an error; 2: part of a value, or a range; 1: that there is something;
 * 0: nothing.
 */
export type Level = 0 | 1 | 2 | 3;

/** Whether code runs when the code around it does. */
export type Reach = 'runs' | 'may_run' | 'never';

/** An assertion as it is written. */
export interface Assertion {
  readonly node: Syntax;
  readonly level: Level;
  /** What it looks at; names in it say whether it looks at the project's code. */
  readonly subjects: readonly Syntax[];
}

/** One test case, read from the syntax tree. */
export interface ReadCase {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** `never`: no runner will run it, or it is left out whatever happens. */
  readonly reach: Reach;
  /** Why it is not plainly run. */
  readonly why: string | null;
  readonly node: Syntax;
  /** It skips itself, or is to fail. */
  readonly leftOut: boolean;
  /** Values that its assertions spell out, and places where they take anything. */
  readonly spelt: { readonly values: number; readonly open: number };
  /** Its assertions that count, with those of helpers in the same file, as levels from the strongest down; rows of tables count each. */
  readonly strength: readonly Level[];
  /** It calls helpers that cannot be followed, or goes through a table of unknown length: it may ask more than we know. */
  readonly open: boolean;
  /** Whether one of its assertions looks at something that the project's code made. */
  readonly attached: boolean;
  /** Whether all that it uses of the project has been replaced. */
  readonly onlyStandIns: boolean;
  /** The assertions that count, as they are written, blanks aside. */
  readonly texts: readonly string[];
  /** Names imported from the project that it uses. */
  readonly uses: ReadonlySet<string>;
  /** Whether it calls any of them, or hands one on to be called; true where it uses none. */
  readonly calls: boolean;
}

/** Something odd about a file of tests. */
export interface Oddity {
  readonly rule: string;
  readonly line: number;
  readonly message: string;
}

/** The tests of one file. */
export interface ReadTests {
  readonly cases: readonly ReadCase[];
  readonly oddities: readonly Oddity[];
  /** Functions that the file defines itself. */
  readonly made: ReadonlySet<string>;
}

/** A test file on both sides, read as far as it could be. */
export interface ReadFile {
  readonly path: string;
  readonly before: ReadTests | null;
  readonly after: ReadTests | null;
  /** Whether it was there before at all. */
  readonly isNew: boolean;
}
