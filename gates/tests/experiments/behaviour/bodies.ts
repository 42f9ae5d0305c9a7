import { parseTestCases } from '../../../code/cases/find-test-cases.ts';
import type { TestCase } from '../../../code/cases/test-case.ts';
import { collectDefinedNames } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import { type ChangedText, readChangedTexts } from '../../../core/changed-texts.ts';
import { grammarOfPath, isProjectCode, languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { listSourceNames, type TestResult } from '../../../core/test-result.ts';
import { isCodePath } from '../../../languages/code-paths.ts';
import { COMPARES, emptiedFunctions } from '../mutants/emptied.ts';
import { likeness } from './likeness.ts';

/** A test case of one side of the patch, as it is written. */
export interface Written extends TestCase {
  readonly path: string;
}

/** The test cases of the files that the patch touches, on both sides. */
export interface Bodies {
  /** The case that a runner's name stands for; null where no touched file has it, or several do. */
  before(test: Pick<TestResult, 'file' | 'name'>): Written | null;
  after(test: Pick<TestResult, 'file' | 'name'>): Written | null;
  readonly allBefore: readonly Written[];
  readonly allAfter: readonly Written[];
  /** What a case of the base tests, and the patch takes out of the code altogether; null: all that it names is still there. */
  goneSubject(test: Written): string | null;
  /** The lines that the patch adds to a file of the base, wherever it moved that to. */
  addedTo(path: string): string;
  /** Where the patch moved a file to; the path itself where it did not. */
  movedTo(path: string): string;
  /** The changed files of code. */
  readonly texts: readonly ChangedText[];
}

const known = new WeakMap<PatchSubject, Promise<Bodies>>();

/** Reads the touched tests once. */
export function bodiesOf(subject: PatchSubject): Promise<Bodies> {
  const there = known.get(subject);
  if (there !== undefined) return there;
  const reading = read(subject);
  known.set(subject, reading);
  return reading;
}

async function read(subject: PatchSubject): Promise<Bodies> {
  const { texts } = await readChangedTexts(subject, isCodePath);
  const side = async (path: string | null, text: string | null): Promise<Written[]> =>
    path === null || text === null
      ? []
      : ((await parseTestCases(path, text)) ?? []).map((each) => ({ ...each, path }));
  const allBefore = (await Promise.all(texts.map(({ basePath, before }) => side(basePath, before)))).flat();
  const allAfter = (await Promise.all(texts.map(({ path, after }) => side(path, after)))).flat();
  const gone = await namesGone(texts);
  const added = new Map(
    texts.map(({ basePath, path, before, after }) => [basePath ?? path, newLines(before ?? '', after ?? '')]),
  );
  const moved = new Map(
    texts.flatMap(({ basePath, path, after }) => (basePath && after !== null ? [[basePath, path]] : [])),
  );
  return {
    before: (test) => find(allBefore, test),
    after: (test) => find(allAfter, test),
    allBefore,
    allAfter,
    goneSubject: ({ identifiers, name }) =>
      [...identifiers].find((each) => each !== name && gone.has(each)) ?? null,
    addedTo: (path) => added.get(path) ?? '',
    movedTo: (path) => moved.get(path) ?? path,
    texts,
  };
}

function newLines(before: string, after: string): string {
  const had = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !had.has(line))
    .join('\n');
}

/** Cases of the base, in these files, that the patch changes or takes away. */
export const changedCases = ({ allBefore, allAfter }: Bodies, paths: readonly string[]): Written[] =>
  allBefore.filter(
    (each) =>
      paths.includes(each.path) &&
      !allAfter.some((other) => other.path === each.path && other.text === each.text),
  );

/** What a test of the base names, and no code has any more: a test goes with what it tests. */
export function goneSubject(test: TestResult, bodies: Bodies): string | null {
  const written = bodies.before(test);
  return written === null ? null : bodies.goneSubject(written);
}

/** Names that the code of the base defines, and that no changed code defines or mentions any more. */
async function namesGone(texts: readonly ChangedText[]): Promise<ReadonlySet<string>> {
  const code = texts.filter(({ path, basePath }) => isCode(basePath ?? path));
  const gone = new Set<string>();
  for (const { basePath, path, before } of code) {
    const root = before === null ? null : await treeOf(basePath ?? path, before);
    if (root !== null) for (const name of collectDefinedNames(root)) gone.add(name);
  }
  if (gone.size === 0) return gone;
  for (const name of await renamed(code)) gone.delete(name);
  for (const { path, after } of texts)
    if (after !== null && isCode(path))
      for (const [word] of after.matchAll(/[\p{L}\p{N}_$]+/gu)) gone.delete(word);
  return gone;
}

/** Whether the patch changes what its code calls equal: whoever compares with that compares in another way. */
export async function changesEquality({ texts }: Pick<Bodies, 'texts'>): Promise<boolean> {
  for (const { basePath, path, before, after } of texts.filter(({ path }) => isCode(path))) {
    const [then, now] = [new Map<string, string>(), new Map<string, string>()];
    await addFunctions(then, basePath ?? path, before);
    await addFunctions(now, path, after);
    for (const name of new Set([...then.keys(), ...now.keys()]))
      if (COMPARES.test(name) && then.get(name) !== now.get(name)) return true;
  }
  return false;
}

/** From how much two functions have in common they are taken for one under another name. */
const SAME = 0.7;

/** Functions of the base that live on under another name: who drops their tests has not dropped them. */
async function renamed(texts: readonly ChangedText[]): Promise<string[]> {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const { basePath, path, before: then, after: now } of texts) {
    await addFunctions(before, basePath ?? path, then);
    await addFunctions(after, path, now);
  }
  const added = [...after].filter(([name]) => !before.has(name)).map(([, text]) => text);
  return [...before].flatMap(([name, text]) =>
    !after.has(name) && added.some((other) => likeness(text, other) >= SAME) ? [name] : [],
  );
}

/** The last word of its name stands for what is set to an object: `exports.price`. */
async function addFunctions(all: Map<string, string>, path: string, text: string | null): Promise<void> {
  const grammar = grammarOfPath(path);
  const root = text === null || grammar === null ? null : await treeOf(path, text);
  if (root === null || text === null || grammar === null) return;
  const lines = text.split('\n');
  for (const { name, from, to } of emptiedFunctions(root, languageOfGrammar(grammar))) {
    const own = name.split('.').at(-1) ?? name;
    all.set(
      own,
      lines
        .slice(from - 1, to)
        .join('\n')
        .replaceAll(own, ''),
    );
  }
}

const isCode = (path: string): boolean => isProjectCode(path) && !isTestPath(path);

async function treeOf(path: string, text: string): Promise<SyntaxNode | null> {
  const grammar = grammarOfPath(path);
  try {
    return grammar === null ? null : (await parseSource(grammar, text)).root;
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** What a runner puts a row's values in the place of. */
const PLACE = /%[sdifjoOc#$p]|\$\{[^}]*\}|\$[\w.]+/;

/** Whether a written name is that of all rows of a table: `adds %i to %i`. */
export const isTemplate = (name: string): boolean => PLACE.test(name);

/** Whether a runner's name is that of a row. */
function isRowOf(template: string, names: ReadonlySet<string>): boolean {
  const [start = '', ...rest] = template.split(PLACE);
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

function find(all: readonly Written[], { file, name }: Pick<TestResult, 'file' | 'name'>): Written | null {
  const names = listSourceNames(name);
  const here = all.filter((each) => file === null || each.path === file);
  const exact = here.filter((each) => names.has(each.name));
  const found =
    exact.length > 0
      ? exact
      : here.filter(
          (each) =>
            /\w/.test(each.name.replace(PLACE, '')) && isTemplate(each.name) && isRowOf(each.name, names),
        );
  // Of several the one whose name says most, and then the one whose class or suite the runner names; two that say as much cannot be told apart.
  const says = ({ name: written, enclosingNames }: Written): number =>
    written.length + (enclosingNames.some((group) => names.has(group)) ? 0.5 : 0);
  const [best, second] = found.toSorted((a, b) => says(b) - says(a));
  return best === undefined || (second && says(second) === says(best) && second.text !== best.text)
    ? null
    : best;
}
