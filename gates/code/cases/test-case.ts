import type { SyntaxNode } from '../parsing/syntax-node.ts';

/** One test case as it is written, whatever the language. */
export interface TestCase {
  /** As it is written: a function's name, or the first text of a call. */
  readonly name: string;
  /** Names of the classes, suites or modules that it stands in, innermost first. */
  readonly enclosingNames: readonly string[];
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** Offset of `text` in the file, in UTF-16 units. */
  readonly start: number;
  /** Assertions in it, helpers not followed. */
  readonly assertionCount: number;
  /** Those of them that name what they expect, rather than that there is something. */
  readonly exactAssertionCount: number;
  /** It is marked to be left out, or to fail. */
  readonly isSkipped: boolean;
  /** Identifiers in it. */
  readonly identifiers: ReadonlySet<string>;
}

/** What an assertion asks; null: it is none. */
export type AssertionStrength = 'exact' | 'loose' | null;

/** How one language writes tests. */
export interface TestSyntax {
  /** The case that a node is, or null. `span` is all of it, its decorators and attributes included. */
  testCaseAt(
    node: SyntaxNode,
  ): { readonly name: string; readonly span: SyntaxNode; readonly from?: SyntaxNode } | null;
  /** The name of the class, suite or module that a node is, or null. */
  groupAt(node: SyntaxNode): string | null;
  assertionStrengthOf(node: SyntaxNode): AssertionStrength;
  /** Whether a node within a case, or what marks it, leaves the case out. */
  isSkipMarker(node: SyntaxNode): boolean;
}
