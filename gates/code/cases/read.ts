import { type Grammar, grammarOf, type Language, languageOf } from '../../core/language.ts';
import { parse } from '../parsing/parse.ts';
import type { Syntax } from '../parsing/syntax.ts';
import { Unreadable } from '../parsing/unreadable.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import type { Dialect, TestCase } from './model.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

const DIALECTS: Readonly<Record<Language, Dialect>> = { python, javascript, go, rust };

/** The test cases of a file, from its syntax tree; null for other languages, and for what cannot be read. */
export async function casesIn(path: string, text: string): Promise<TestCase[] | null> {
  const grammar = grammarOf(path);
  if (grammar === null) return null;
  try {
    return casesOfTree((await parse(grammar, text)).root, grammar);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return null;
    throw error;
  }
}

/** The test cases of a tree. A case within another one, such as a subtest, is a case of its own, and part of the outer one. */
export function casesOfTree(root: Syntax, grammar: Grammar): TestCase[] {
  const dialect = DIALECTS[languageOf(grammar)];
  const cases: TestCase[] = [];
  for (const node of root.walk()) {
    const found = dialect.caseAt(node);
    if (found === null) continue;
    const { name, span, from = span } = found;
    let assertions = 0;
    let exact = 0;
    const uses = new Set<string>();
    let skipped = marksBefore(from, span).some(dialect.skips);
    for (const inner of span.walk()) {
      const asked = dialect.asked(inner);
      if (asked !== null) assertions++;
      if (asked === 'exact') exact++;
      skipped ||= dialect.skips(inner);
      if (inner.type.endsWith('identifier')) uses.add(inner.text);
    }
    cases.push({
      name,
      within: [...span.ancestors()].flatMap((outer) => dialect.groupAt(outer) ?? []),
      line: from.line,
      text: span.source.slice(from.start, span.end),
      start: from.start,
      assertions,
      exact,
      skipped,
      uses,
    });
  }
  return cases;
}

/** What stands beside a case and marks it: attributes from the first one on. */
function marksBefore(from: Syntax, span: Syntax): Syntax[] {
  if (from === span) return [];
  return (span.parent?.children ?? []).filter(({ start }) => start >= from.start && start < span.start);
}
