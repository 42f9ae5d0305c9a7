import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { getPathInBase } from '../../../workspace/git/file-changes.ts';
import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import type { TestCase } from '../../code/cases/test-case.ts';
import { readChangedFileTexts } from '../../core/changed-texts.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { listTestSourceNames, type TestResult } from '../../core/test-result.ts';
import { isCodePath } from '../../languages/code-paths.ts';

/** The test cases of a changed file, as they are written on both sides. */
export interface ChangedTestFile {
  /** Path in the base; null for a new file. */
  readonly basePath: string | null;
  /** Path in the patch; null for a deleted file. */
  readonly patchPath: string | null;
  /** Null where nobody can read the file. */
  readonly baseNames: readonly string[] | null;
  readonly patchNames: readonly string[] | null;
  /** Names of cases whose text the base does not have: the patch wrote or changed them. */
  readonly changedNames: readonly string[];
  /** A line that the patch wrote names what a runner is told to report to. */
  readonly referencesReport: boolean;
}

/** What code would name to find, and to write again, the report of the run that it is in. */
const REPORT =
  /assay-report|PYTEST_ADDOPTS|NODE_OPTIONS|junit[-_]?xml|xmlpath|outputFile|test-reporter|(?:environ\b|env\b|getenv\b|Getenv\b|var\b)[^\n]{0,20}\bREPORT\b/i;

function addsReportReference(before: string | null, after: string | null): boolean {
  if (after === null || !REPORT.test(after)) return false;
  const had = new Set((before ?? '').split('\n'));
  return after.split('\n').some((line) => !had.has(line) && REPORT.test(line));
}

const known = new WeakMap<PatchToCheck, Promise<readonly ChangedTestFile[]>>();

/** Every changed file that tests may be written in. */
export function listChangedTestFiles(subject: PatchToCheck): Promise<readonly ChangedTestFile[]> {
  const there = known.get(subject);
  if (there !== undefined) return there;
  const looking = look(subject);
  known.set(subject, looking);
  return looking;
}

async function look(subject: PatchToCheck): Promise<readonly ChangedTestFile[]> {
  const { texts } = await readChangedFileTexts(subject, isCodePath);
  const byPath = new Map(texts.map((text) => [text.path, text]));
  const casesOf = async (path: string, text: string | null | undefined): Promise<readonly TestCase[]> =>
    text == null ? [] : ((await parseTestCases(path, text)) ?? []);
  return Promise.all(
    subject.changes.map(async (change): Promise<ChangedTestFile> => {
      const from = getPathInBase(change);
      const to = change.headEntry === null ? null : change.path;
      const text = byPath.get(change.path);
      const before = await casesOf(from ?? change.path, text?.before);
      const after = await casesOf(change.path, text?.after);
      const had = new Set(before.map((each) => each.text));
      return {
        basePath: from,
        patchPath: to,
        baseNames: text || from === null ? before.map(({ name }) => name) : null,
        patchNames: text || to === null ? after.map(({ name }) => name) : null,
        changedNames: after.filter((each) => !had.has(each.text)).map(({ name }) => name),
        referencesReport: text !== undefined && addsReportReference(text.before, text.after),
      };
    }),
  );
}

/** The tests of the patch. */
export interface PatchTestLookup {
  /** A case of the base as the tree would name it; null when the patch changed it or took it away, or nobody can tell. */
  mapToPatch(test: TestResult): Pick<TestResult, 'file' | 'name'> | null;
  /** Whether the patch wrote or changed a case. */
  isWrittenByPatch(test: Pick<TestResult, 'file' | 'name'>): boolean;
  /** Whether a case stands in a file that the patch touches, or may do so. */
  isInTouchedFile(test: Pick<TestResult, 'file' | 'name'>): boolean;
  /** Files in which the patch names what a runner is told to report to. */
  readonly filesReferencingReport: readonly string[];
  /** Test files of which the patch wrote or changed cases, and none is among these. */
  filesMissingFrom(cases: readonly TestResult[]): readonly string[];
}

export function createPatchTestLookup(changed: readonly ChangedTestFile[]): PatchTestLookup {
  const byFrom = new Map(
    changed.flatMap((file) => (file.basePath === null ? [] : [[file.basePath, file] as const])),
  );
  const byTo = new Map(
    changed.flatMap((file) => (file.patchPath === null ? [] : [[file.patchPath, file] as const])),
  );
  const all = (names: (file: ChangedTestFile) => readonly string[]): Set<string> =>
    new Set(changed.flatMap(names));
  const own = all((file) => file.changedNames);
  const after = all((file) => file.patchNames ?? []);
  const gone = new Set([...all((file) => file.baseNames ?? [])].filter((name) => !after.has(name)));
  return {
    filesReferencingReport: changed.flatMap(({ patchPath, referencesReport }) =>
      patchPath !== null && referencesReport ? [patchPath] : [],
    ),
    mapToPatch: ({ file, name }) => {
      if (file === null) return isOneOf(name, gone) ? null : { file, name };
      const change = byFrom.get(file);
      if (!change) return { file, name };
      if (
        change.patchPath === null ||
        change.patchNames === null ||
        !isOneOf(name, new Set(change.patchNames))
      )
        return null;
      // What became of a case that was changed is looked at by running its base version.
      if (isOneOf(name, new Set(change.changedNames))) return null;
      return { file: change.patchPath, name: movedName(name, file, change.patchPath) };
    },
    isWrittenByPatch: ({ file, name }) =>
      isOneOf(name, file === null ? own : new Set(byTo.get(file)?.changedNames ?? [])),
    isInTouchedFile: ({ file, name }) => (file === null ? isOneOf(name, after) : byTo.has(file)),
    filesMissingFrom: (cases) => {
      const seen = new Set(cases.map(({ file }) => file));
      const unplaced = new Set(
        cases.flatMap(({ file, name }) => (file === null ? [...listTestSourceNames(name)] : [])),
      );
      return [...byTo].flatMap(([path, file]) =>
        file.changedNames.length === 0 ||
        !isTestPath(path) ||
        seen.has(path) ||
        file.changedNames.some((name) => unplaced.has(name))
          ? []
          : [path],
      );
    },
  };
}

const isOneOf = (reported: string, names: ReadonlySet<string>): boolean =>
  names.size > 0 && [...listTestSourceNames(reported)].some((name) => names.has(name));

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
