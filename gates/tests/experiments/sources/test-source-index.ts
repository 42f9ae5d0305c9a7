import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { parseTestCases } from '../../../code/cases/find-test-cases.ts';
import type { TestCase } from '../../../code/cases/test-case.ts';
import { collectDefinedNames } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import { isTestFile } from '../../../code/test-reachability.ts';
import { type ChangedFileText, readChangedFileTexts } from '../../../core/changed-texts.ts';
import { grammarOfPath, isProjectCodePath, languageOfGrammar } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { listTestSourceNames, type TestResult } from '../../../core/test-result.ts';
import { isCodePath } from '../../../languages/code-paths.ts';
import {
  EQUALITY_FUNCTION_NAME_PATTERN,
  findStubbableFunctions,
} from '../perturbations/rewrite-functions.ts';

/** A test case of one side of the patch, as it is written. */
export interface TestCaseSource extends TestCase {
  readonly path: string;
}

/** The test cases of the files that the patch touches, on both sides. */
export interface TestSourceIndex {
  /** The case that a runner's name stands for; null where no touched file has it, or several do. */
  inBase(test: Pick<TestResult, 'file' | 'name'>): TestCaseSource | null;
  inPatch(test: Pick<TestResult, 'file' | 'name'>): TestCaseSource | null;
  readonly baseTests: readonly TestCaseSource[];
  readonly patchTests: readonly TestCaseSource[];
  /** What a case of the base tests, and the patch takes out of the code altogether; null: all that it names is still there. */
  removedSubject(test: TestCaseSource): string | null;
  /** The lines that the patch adds to a file of the base, wherever it moved that to. */
  addedTextOf(path: string): string;
  /** Where the patch moved a file to; the path itself where it did not. */
  movedPath(path: string): string;
  /** The changed files of code. */
  readonly changedTexts: readonly ChangedFileText[];
}

const indexes = new WeakMap<PatchToCheck, Promise<TestSourceIndex>>();

/** Reads the touched tests once. */
export function readTestSourceIndex(subject: PatchToCheck): Promise<TestSourceIndex> {
  const there = indexes.get(subject);
  if (there !== undefined) return there;
  const reading = buildIndex(subject);
  indexes.set(subject, reading);
  return reading;
}

async function buildIndex(subject: PatchToCheck): Promise<TestSourceIndex> {
  const { texts } = await readChangedFileTexts(subject, isCodePath);
  const side = async (path: string | null, text: string | null): Promise<TestCaseSource[]> =>
    path === null || text === null
      ? []
      : ((await parseTestCases(path, text)) ?? []).map((each) => ({ ...each, path }));
  const allBefore = (await Promise.all(texts.map(({ basePath, before }) => side(basePath, before)))).flat();
  const allAfter = (await Promise.all(texts.map(({ path, after }) => side(path, after)))).flat();
  const gone = await removedNames(texts);
  const added = new Map(
    texts.map(({ basePath, path, before, after }) => [
      basePath ?? path,
      addedText(before ?? '', after ?? ''),
    ]),
  );
  const moved = new Map(
    texts.flatMap(({ basePath, path, after }) => (basePath && after !== null ? [[basePath, path]] : [])),
  );
  return {
    inBase: (test) => findTestSource(allBefore, test),
    inPatch: (test) => findTestSource(allAfter, test),
    baseTests: allBefore,
    patchTests: allAfter,
    removedSubject: ({ identifiers, name }) =>
      [...identifiers].find((each) => each !== name && gone.has(each)) ?? null,
    addedTextOf: (path) => added.get(path) ?? '',
    movedPath: (path) => moved.get(path) ?? path,
    changedTexts: texts,
  };
}

function addedText(before: string, after: string): string {
  const had = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !had.has(line))
    .join('\n');
}

/** Cases of the base, in these files, that the patch changes or takes away. */
export const listChangedBaseTests = (
  { baseTests, patchTests }: TestSourceIndex,
  paths: readonly string[],
): TestCaseSource[] =>
  baseTests.filter(
    (each) =>
      paths.includes(each.path) &&
      !patchTests.some((other) => other.path === each.path && other.text === each.text),
  );

/** What a test of the base names, and no code has any more: a test goes with what it tests. */
export function findRemovedTestSubject(test: TestResult, bodies: TestSourceIndex): string | null {
  const written = bodies.inBase(test);
  return written === null ? null : bodies.removedSubject(written);
}

/** Names that the code of the base defines, and that no changed code defines or mentions any more. */
async function removedNames(texts: readonly ChangedFileText[]): Promise<ReadonlySet<string>> {
  const code = texts.filter(({ path, basePath }) => isProductCode(basePath ?? path));
  const gone = new Set<string>();
  for (const { basePath, path, before } of code) {
    const root = before === null ? null : await parseIfReadable(basePath ?? path, before);
    if (root !== null) for (const name of collectDefinedNames(root)) gone.add(name);
  }
  if (gone.size === 0) return gone;
  for (const name of await renamedFunctions(code)) gone.delete(name);
  for (const { path, after } of texts)
    if (after !== null && isProductCode(path))
      for (const [word] of after.matchAll(/[\p{L}\p{N}_$]+/gu)) gone.delete(word);
  return gone;
}

/** Whether the patch changes what its code calls equal: whoever compares with that compares in another way. */
export async function hasChangedEqualityFunctions({
  changedTexts,
}: Pick<TestSourceIndex, 'changedTexts'>): Promise<boolean> {
  for (const { basePath, path, before, after } of changedTexts.filter(({ path }) => isProductCode(path))) {
    const [then, now] = [new Map<string, string>(), new Map<string, string>()];
    await collectFunctions(then, basePath ?? path, before);
    await collectFunctions(now, path, after);
    for (const name of new Set([...then.keys(), ...now.keys()]))
      if (EQUALITY_FUNCTION_NAME_PATTERN.test(name) && then.get(name) !== now.get(name)) return true;
  }
  return false;
}

/** From how much two functions have in common they are taken for one under another name. */
const RENAMED_SIMILARITY = 0.7;

/** Functions of the base that live on under another name: who drops their tests has not dropped them. */
async function renamedFunctions(texts: readonly ChangedFileText[]): Promise<string[]> {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const { basePath, path, before: then, after: now } of texts) {
    await collectFunctions(before, basePath ?? path, then);
    await collectFunctions(after, path, now);
  }
  const added = [...after].filter(([name]) => !before.has(name)).map(([, text]) => text);
  return [...before].flatMap(([name, text]) =>
    !after.has(name) && added.some((other) => textSimilarity(text, other) >= RENAMED_SIMILARITY)
      ? [name]
      : [],
  );
}

/** The last word of its name stands for what is set to an object: `exports.price`. */
async function collectFunctions(all: Map<string, string>, path: string, text: string | null): Promise<void> {
  const grammar = grammarOfPath(path);
  const root = text === null || grammar === null ? null : await parseIfReadable(path, text);
  if (root === null || text === null || grammar === null) return;
  const lines = text.split('\n');
  for (const { name, firstLine, lastLine } of findStubbableFunctions(root, languageOfGrammar(grammar))) {
    const own = name.split('.').at(-1) ?? name;
    all.set(
      own,
      lines
        .slice(firstLine - 1, lastLine)
        .join('\n')
        .replaceAll(own, ''),
    );
  }
}

const isProductCode = (path: string): boolean => isProjectCodePath(path) && !isTestPath(path);

async function parseIfReadable(path: string, text: string): Promise<SyntaxNode | null> {
  const grammar = grammarOfPath(path);
  try {
    return grammar === null ? null : (await parseSource(grammar, text)).root;
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** What a runner puts a row's values in the place of. */
const NAME_PLACEHOLDER = /%[sdifjoOc#$p]|\$\{[^}]*\}|\$[\w.]+/;

/** Whether a written name is that of all rows of a table: `adds %i to %i`. */
export const isParametrizedTestName = (name: string): boolean => NAME_PLACEHOLDER.test(name);

/** Whether a runner's name is that of a row. */
function isNameOfTemplate(template: string, names: ReadonlySet<string>): boolean {
  const [start = '', ...rest] = template.split(NAME_PLACEHOLDER);
  return [...names].some((name) => {
    if (!name.startsWith(start)) return false;
    let at = start.length;
    for (const piece of rest) {
      const next = piece === '' ? at : name.indexOf(piece, at);
      if (next < 0) return false;
      at = next + piece.length;
    }
    return rest.at(-1) === '' || name.endsWith(rest.at(-1) ?? '');
  });
}

function findTestSource(
  all: readonly TestCaseSource[],
  { file, name }: Pick<TestResult, 'file' | 'name'>,
): TestCaseSource | null {
  const names = listTestSourceNames(name);
  const here = all.filter((each) => file === null || each.path === file);
  const exact = here.filter((each) => names.has(each.name));
  const found =
    exact.length > 0
      ? exact
      : here.filter(
          (each) =>
            /\w/.test(each.name.replace(NAME_PLACEHOLDER, '')) &&
            isParametrizedTestName(each.name) &&
            isNameOfTemplate(each.name, names),
        );
  // Of several the one whose name says most, and then the one whose class or suite the runner names; two that say as much cannot be told apart.
  const says = ({ name: written, enclosingNames }: TestCaseSource): number =>
    written.length + (enclosingNames.some((group) => names.has(group)) ? 0.5 : 0);
  const [best, second] = found.toSorted((a, b) => says(b) - says(a));
  return best === undefined || (second && says(second) === says(best) && second.text !== best.text)
    ? null
    : best;
}

/** A multiset of the words and signs of a text. */
function tokenCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu))
    counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

const sizeOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function sharedCount(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [token, count] of left) common += Math.min(count, right.get(token) ?? 0);
  return common;
}

/** How much two texts have in common, from 0 to 1: the Sørensen–Dice coefficient of their tokens. */
export function textSimilarity(left: string, right: string): number {
  const [a, b] = [tokenCounts(left), tokenCounts(right)];
  const all = sizeOf(a) + sizeOf(b);
  return all === 0 ? 0 : (2 * sharedCount(a, b)) / all;
}

const LITERAL =
  /"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'|`[^`]{0,500}`|(?<![\w.])\d[\d_]*(?:\.\d+)?/g;
/** What is said when a test fails, rather than what it asks with. */
const FAILURE_MESSAGE = /\s|%/;
/** Fewest values that tell a test from others. */
const MIN_VALUES = 2;

/** The values that a text asks with and for; numbers without the marks between their digits, and texts whatever their quotes. */
const literalsIn = (text: string): string[] =>
  [...text.matchAll(LITERAL)].map(([literal]) =>
    /^\d/.test(literal) ? literal.replaceAll('_', '') : literal.slice(1, -1),
  );

/** The values that tell a test from others; empty where it has too few of them. */
function distinctiveValues({ text, name }: TestCaseSource): ReadonlySet<string> {
  const values = literalsIn(text).filter((value) => value !== name);
  const telling = values.filter((value) => !FAILURE_MESSAGE.test(value));
  const asked = new Set(telling.length >= MIN_VALUES ? telling : values);
  return asked.size < MIN_VALUES ? new Set() : asked;
}

/** Whether a test asks with values of its own, and not with those of a table. */
export const hasLiteralTestValues = ({ text, name }: TestCaseSource): boolean =>
  literalsIn(text).some((value) => value !== name && !FAILURE_MESSAGE.test(value));

/** The share of the values that a test asked with and for that its new version has too; 1 where too few tell. */
export function computeKeptTestValueShare(before: TestCaseSource, now: TestCaseSource): number {
  const asked = distinctiveValues(before);
  const there = new Set(literalsIn(now.text));
  return asked.size === 0 ? 1 : [...asked].filter((value) => there.has(value)).length / asked.size;
}

/**
 * Whether a test of the base has become rows of a table, part of one, or several tests: everything that it asked with and for stands in
 * the lines that the patch adds to its file, or in tests that run now and did not before.
 */
export function isTestMergedIntoOthers(
  test: TestCaseSource,
  bodies: Pick<TestSourceIndex, 'addedTextOf'>,
  added: readonly TestCaseSource[],
): boolean {
  const asked = distinctiveValues(test);
  const there = new Set(
    [bodies.addedTextOf(test.path), ...added.map(({ text }) => text)].flatMap(literalsIn),
  );
  return asked.size > 0 && [...asked].every((value) => there.has(value));
}

/**
 * Whether a test is another one than on the base: it is new, is written in another way, or what stands beside the tests (helpers,
 * fixtures, recordings) has changed. What only stands in a file with a new test is not asked again.
 */
export async function createPatchTestFilter(subject: PatchToCheck): Promise<(test: TestResult) => boolean> {
  const bodies = await readTestSourceIndex(subject);
  const had = new Set(bodies.baseTests.map(({ path, text }) => `${bodies.movedPath(path)}\0${text}`));
  const isBeside = subject.changes.some(({ path }) => isTestPath(path) && !isTestFile(path));
  const otherwise = new Set(
    bodies.changedTexts.filter((each) => changesCodeAroundTests(each, bodies)).map(({ path }) => path),
  );
  return (test) => {
    const now = bodies.inPatch(test);
    if (isBeside || now === null) return true;
    return otherwise.has(now.path) || !had.has(`${now.path}\0${now.text}`);
  };
}

/** Lines that bring something in: a new test needs some, and no old one asks for less because of them. */
const IMPORT_LINE =
  /^\s*(?:import\b|from\b|use\b|(?:const|let|var)\b.*\brequire\(|["'`][\w./-]+["'`]\s*$|[()]\s*$)/;

function changesCodeAroundTests(
  { path, basePath, before, after }: TestSourceIndex['changedTexts'][number],
  bodies: TestSourceIndex,
): boolean {
  if (!isTestFile(path) || before === null || after === null) return false;
  const outside = (text: string, cases: readonly TestCaseSource[]): string => {
    let left = '';
    let at = 0;
    for (const each of cases.toSorted((a, b) => a.start - b.start)) {
      left += text.slice(at, Math.max(at, each.start));
      at = Math.max(at, each.start + each.text.length);
    }
    const lines = (left + text.slice(at)).split('\n');
    return lines.filter((line) => line.trim() !== '' && !IMPORT_LINE.test(line)).join('\n');
  };
  const then = bodies.baseTests.filter((each) => each.path === (basePath ?? path));
  const now = bodies.patchTests.filter((each) => each.path === path);
  return outside(before, then) !== outside(after, now);
}
