import { type Grammar, grammarOfPath, type Language, languageOfGrammar } from '../../core/language.ts';
import { parseSource } from '../parsing/parse-source.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { UnreadableCodeError } from '../parsing/unreadable-code-error.ts';
import { goTestSyntax } from './go.ts';
import { javascriptTestSyntax } from './javascript.ts';
import { pythonTestSyntax } from './python.ts';
import { rustTestSyntax } from './rust.ts';
import type { TestCase, TestSyntax } from './test-case.ts';

const TEST_SYNTAXES: Readonly<Record<Language, TestSyntax>> = {
  python: pythonTestSyntax,
  javascript: javascriptTestSyntax,
  go: goTestSyntax,
  rust: rustTestSyntax,
};

/** The test cases of a file, from its syntax tree; null for other languages, and for what cannot be read. */
export async function parseTestCases(path: string, text: string): Promise<TestCase[] | null> {
  const grammar = grammarOfPath(path);
  if (grammar === null) return null;
  try {
    return findTestCases((await parseSource(grammar, text)).root, grammar);
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** The test cases of a tree. A case within another one, such as a subtest, is a case of its own, and part of the outer one. */
export function findTestCases(root: SyntaxNode, grammar: Grammar): TestCase[] {
  const dialect = TEST_SYNTAXES[languageOfGrammar(grammar)];
  const cases: TestCase[] = [];
  for (const node of root.walk()) {
    const found = dialect.testCaseAt(node);
    if (found === null) continue;
    const { name, span, from = span } = found;
    let assertions = 0;
    let exact = 0;
    const uses = new Set<string>();
    let skipped = marksBefore(from, span).some(dialect.isSkipMarker);
    for (const inner of span.walk()) {
      const asked = dialect.assertionStrengthOf(inner);
      if (asked !== null) assertions++;
      if (asked === 'exact') exact++;
      skipped ||= dialect.isSkipMarker(inner);
      if (inner.type.endsWith('identifier')) uses.add(inner.text);
    }
    cases.push({
      name,
      enclosingNames: [...span.ancestors()].flatMap((outer) => dialect.groupAt(outer) ?? []),
      line: from.line,
      text: span.source.slice(from.start, span.end),
      start: from.start,
      assertionCount: assertions,
      exactAssertionCount: exact,
      isSkipped: skipped,
      identifiers: uses,
    });
  }
  return cases;
}

/** What stands beside a case and marks it: attributes from the first one on. */
function marksBefore(from: SyntaxNode, span: SyntaxNode): SyntaxNode[] {
  if (from === span) return [];
  return (span.parent?.children ?? []).filter(({ start }) => start >= from.start && start < span.start);
}
