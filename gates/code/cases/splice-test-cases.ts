import { type Grammar, languageOfGrammar } from '../../core/language.ts';
import { indexIdentifiers } from '../identifier-index.ts';
import { parseSource } from '../parsing/parse-source.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { findTestCases } from './find-test-cases.ts';
import type { TestCase } from './test-case.ts';

/** One side of a file of tests. */
export interface TestCaseFile {
  readonly text: string;
  readonly cases: readonly TestCase[];
  /** Names that it gives or brings in outside of its cases: helpers, fixtures, imports. */
  readonly outerNames: ReadonlySet<string>;
}

/** @throws Unreadable */
export async function parseTestCaseFile(grammar: Grammar, text: string): Promise<TestCaseFile> {
  const { root } = await parseSource(grammar, text);
  const cases = outermost(findTestCases(root, grammar));
  const { bindings, imports } = indexIdentifiers(root, languageOfGrammar(grammar));
  const isOutside = ({ start }: SyntaxNode): boolean => !cases.some((each) => isIn(start, each));
  const names = new Set(
    [...bindings, ...imports].flatMap(([name, nodes]) => (nodes.some(isOutside) ? [name] : [])),
  );
  return { text, cases, outerNames: names };
}

const isIn = (offset: number, { start, text }: TestCase): boolean =>
  offset >= start && offset < start + text.length;

/** Cases that are no part of another one. */
const outermost = (cases: readonly TestCase[]): TestCase[] =>
  cases.filter((each) => !cases.some((other) => other !== each && isIn(each.start, other)));

/**
 * Whether a case of one file means the same in another: whatever it uses of its own file, outside of the cases, the other one has too.
 */
export const canSpliceTestCase = (
  host: TestCaseFile,
  donor: TestCaseFile,
  { identifiers }: TestCase,
): boolean => [...identifiers].every((name) => !donor.outerNames.has(name) || host.outerNames.has(name));

/** Which of the cases of one name it is: the first, the second, … */
const countOf = ({ cases }: TestCaseFile, wanted: TestCase): number =>
  cases.filter(({ name }) => name === wanted.name).indexOf(wanted);

const counterpart = (host: TestCaseFile, donor: TestCaseFile, wanted: TestCase): TestCase | null =>
  host.cases.filter(({ name }) => name === wanted.name)[countOf(donor, wanted)] ?? null;

/** A file with cases of another one in it: each in the place of the one of its name, or after the one that it stands after there. */
export function spliceTestCases(
  host: TestCaseFile,
  donor: TestCaseFile,
  wanted: readonly TestCase[],
): string {
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  for (const each of wanted) {
    const same = counterpart(host, donor, each);
    const column = columnOf(donor.text, each.start);
    if (same) {
      const text = shifted(each.text, column, columnOf(host.text, same.start));
      edits.push({ from: same.start, to: same.start + same.text.length, text });
      continue;
    }
    const before = donor.cases.slice(0, donor.cases.indexOf(each)).toReversed();
    const beside = before.map((other) => counterpart(host, donor, other)).find((other) => other !== null);
    const at = beside ? lineEnd(host.text, beside.start + beside.text.length) : host.text.length;
    const indent = indentOf(host.text, beside?.start ?? host.text.length);
    const text = donor.text.slice(each.start, lineEnd(donor.text, each.start + each.text.length));
    edits.push({
      from: at,
      to: at,
      text: `\n\n${indent}${shifted(text, column, indent.length)}${beside ? '' : '\n'}`,
    });
  }
  let result = '';
  let at = 0;
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    result += host.text.slice(at, from) + text;
    at = to;
  }
  return result + host.text.slice(at);
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

const indentOf = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';

const columnOf = (text: string, offset: number): number => indentOf(text, offset).length;

/** A text that began at one column, written from another one on. */
function shifted(text: string, from: number, to: number): string {
  if (from === to) return text;
  return text
    .split('\n')
    .map((line, at) => {
      if (at === 0 || line === '') return line;
      const own = /^[ \t]*/.exec(line)?.[0].length ?? 0;
      return to > from ? ' '.repeat(to - from) + line : line.slice(Math.min(own, from - to));
    })
    .join('\n');
}
