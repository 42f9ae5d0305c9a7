import { basePath } from '../../../workspace/git/changes.ts';
import type { TestCase } from '../../code/cases/model.ts';
import { casesIn } from '../../code/cases/read.ts';
import { changedTexts } from '../../core/changed-texts.ts';
import type { Subject } from '../../core/subject.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { type TestResult, writtenNames } from '../../core/test-result.ts';
import { isCodePath } from '../../languages/code-paths.ts';

/** The test cases of a changed file, as they are written on both sides. */
export interface WrittenFile {
  /** Path in the base; null for a new file. */
  readonly from: string | null;
  /** Path in the patch; null for a deleted file. */
  readonly to: string | null;
  /** Null where nobody can read the file. */
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
  /** Names of cases whose text the base does not have: the patch wrote or changed them. */
  readonly own: readonly string[];
  /** A line that the patch wrote names what a runner is told to report to. */
  readonly namesReport: boolean;
}

/** What code would name to find, and to write again, the report of the run that it is in. */
const REPORT =
  /assay-report|PYTEST_ADDOPTS|NODE_OPTIONS|junit[-_]?xml|xmlpath|outputFile|test-reporter|(?:environ\b|env\b|getenv\b|Getenv\b|var\b)[^\n]{0,20}\bREPORT\b/i;

function writesReport(before: string | null, after: string | null): boolean {
  if (after === null || !REPORT.test(after)) return false;
  const had = new Set((before ?? '').split('\n'));
  return after.split('\n').some((line) => !had.has(line) && REPORT.test(line));
}

const known = new WeakMap<Subject, Promise<readonly WrittenFile[]>>();

/** Every changed file that tests may be written in. */
export function writtenFiles(subject: Subject): Promise<readonly WrittenFile[]> {
  const there = known.get(subject);
  if (there !== undefined) return there;
  const looking = look(subject);
  known.set(subject, looking);
  return looking;
}

async function look(subject: Subject): Promise<readonly WrittenFile[]> {
  const { texts } = await changedTexts(subject, isCodePath);
  const byPath = new Map(texts.map((text) => [text.path, text]));
  const casesOf = async (path: string, text: string | null | undefined): Promise<readonly TestCase[]> =>
    text == null ? [] : ((await casesIn(path, text)) ?? []);
  return Promise.all(
    subject.changes.map(async (change): Promise<WrittenFile> => {
      const from = basePath(change);
      const to = change.head === null ? null : change.path;
      const text = byPath.get(change.path);
      const before = await casesOf(from ?? change.path, text?.before);
      const after = await casesOf(change.path, text?.after);
      const had = new Set(before.map((each) => each.text));
      return {
        from,
        to,
        before: text || from === null ? before.map(({ name }) => name) : null,
        after: text || to === null ? after.map(({ name }) => name) : null,
        own: after.filter((each) => !had.has(each.text)).map(({ name }) => name),
        namesReport: text !== undefined && writesReport(text.before, text.after),
      };
    }),
  );
}

/** The tests of the patch. */
export interface WrittenTests {
  /** A case of the base as the tree would name it; null when the patch changed it or took it away, or nobody can tell. */
  expected(test: TestResult): Pick<TestResult, 'file' | 'name'> | null;
  /** Whether the patch wrote or changed a case. */
  isOwn(test: Pick<TestResult, 'file' | 'name'>): boolean;
  /** Whether a case stands in a file that the patch touches, or may do so. */
  isTouched(test: Pick<TestResult, 'file' | 'name'>): boolean;
  /** Files in which the patch names what a runner is told to report to. */
  readonly namingReports: readonly string[];
  /** Test files of which the patch wrote or changed cases, and none is among these. */
  notIn(cases: readonly TestResult[]): readonly string[];
}

export function writtenTests(changed: readonly WrittenFile[]): WrittenTests {
  const byFrom = new Map(changed.flatMap((file) => (file.from === null ? [] : [[file.from, file] as const])));
  const byTo = new Map(changed.flatMap((file) => (file.to === null ? [] : [[file.to, file] as const])));
  const all = (names: (file: WrittenFile) => readonly string[]): Set<string> =>
    new Set(changed.flatMap(names));
  const own = all((file) => file.own);
  const after = all((file) => file.after ?? []);
  const gone = new Set([...all((file) => file.before ?? [])].filter((name) => !after.has(name)));
  return {
    namingReports: changed.flatMap(({ to, namesReport }) => (to !== null && namesReport ? [to] : [])),
    expected: ({ file, name }) => {
      if (file === null) return isOneOf(name, gone) ? null : { file, name };
      const change = byFrom.get(file);
      if (!change) return { file, name };
      if (change.to === null || change.after === null || !isOneOf(name, new Set(change.after))) return null;
      // What became of a case that was changed is looked at by running its base version.
      if (isOneOf(name, new Set(change.own))) return null;
      return { file: change.to, name: movedName(name, file, change.to) };
    },
    isOwn: ({ file, name }) => isOneOf(name, file === null ? own : new Set(byTo.get(file)?.own ?? [])),
    isTouched: ({ file, name }) => (file === null ? isOneOf(name, after) : byTo.has(file)),
    notIn: (cases) => {
      const seen = new Set(cases.map(({ file }) => file));
      const unplaced = new Set(
        cases.flatMap(({ file, name }) => (file === null ? [...writtenNames(name)] : [])),
      );
      return [...byTo].flatMap(([path, file]) =>
        file.own.length === 0 ||
        !isTestPath(path) ||
        seen.has(path) ||
        file.own.some((name) => unplaced.has(name))
          ? []
          : [path],
      );
    },
  };
}

const isOneOf = (reported: string, names: ReadonlySet<string>): boolean =>
  names.size > 0 && [...writtenNames(reported)].some((name) => names.has(name));

/** Runners begin the names of tests with paths or with names of modules. */
function movedName(name: string, from: string, to: string): string {
  for (const [before, now] of [
    [from, to],
    [moduleOf(from), moduleOf(to)],
  ] as const)
    if (name.startsWith(before) && /^(?:$|[ .:])/.test(name.slice(before.length)))
      return now + name.slice(before.length);
  return name;
}

const moduleOf = (path: string): string => path.replace(/\.\w+$/, '').replaceAll('/', '.');
