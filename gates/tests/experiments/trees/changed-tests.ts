import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { editTree, type GitTreeEdit, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { type FileChange, getPathInBase } from '../../../../workspace/git/file-changes.ts';
import type { GitStore } from '../../../../workspace/git/git-store.ts';
import { readThreadCpuMs } from '../../../../workspace/process/cpu-time.ts';
import { hasSameRustInlineTests, replaceRustInlineTests } from '../../../code/cases/rust-inline-tests.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import { type ProjectCodeRevisions, readProjectCodeRevisions } from '../../../code/project-code.ts';
import { isTestFile, readTestReachability } from '../../../code/test-reachability.ts';
import { readChangedFileTexts } from '../../../core/changed-texts.ts';
import type { HiddenTestFiles } from '../../../core/hidden-tests-result.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { readTestSourceIndex } from '../sources/test-source-index.ts';

/** What the base has on the side of the tests and the patch changes or takes away: tests, helpers, recordings, snapshots. */
export interface ChangedBaseTestFiles {
  /** Paths in the base. */
  readonly basePaths: readonly string[];
  /** Of these the files that a runner takes for tests. */
  readonly baseTestFiles: readonly string[];
  /** What the patch calls those of them that it keeps. */
  readonly keptTestFiles: readonly string[];
  /** What the patch has on the side of the tests that the base has not, or not like this. */
  readonly patchPaths: readonly string[];
  /** Tree of the patch with these of them in their base version, and without the tests that do not differ; with all, also without what is new among the tests. */
  baseTestsOnNewCode(paths?: readonly string[]): Promise<string>;
  /** Code of the base with the changed tests of the patch, and without the tests that do not differ. */
  patchTestsOnOldCode(): Promise<string>;
}

const isChangedOrRemoved = ({ baseEntry, headEntry }: FileChange): boolean =>
  baseEntry !== null && baseEntry.id !== headEntry?.id;

/** A file of Rust whose tests beside the code differ. */
interface InlineTests {
  readonly from: string;
  readonly path: string;
  readonly mode: string;
  /** The new code with the base's tests. */
  readonly withOld: string;
  /** The base's code with the new tests. */
  readonly withNew: string;
}

async function readInlineTests(subject: PatchToCheck): Promise<InlineTests[]> {
  const isCode = (path: string): boolean => path.endsWith('.rs') && !isTestPath(path);
  const { texts } = await readChangedFileTexts(subject, isCode);
  const found: InlineTests[] = [];
  for (const { basePath, path, before, after } of texts) {
    if (
      basePath === null ||
      before === null ||
      after === null ||
      (await hasSameRustInlineTests(before, after))
    )
      continue;
    const [withOld, withNew] = [
      await replaceRustInlineTests(after, before),
      await replaceRustInlineTests(before, after),
    ];
    const mode = subject.changes.find((change) => change.path === path)?.headEntry?.mode;
    if (withOld !== null && withNew !== null && mode)
      found.push({ from: basePath, path, mode, withOld, withNew });
  }
  return found;
}

/** @returns null when the patch leaves the tests of the base as they are. */
export async function readChangedBaseTestFiles(subject: PatchToCheck): Promise<ChangedBaseTestFiles | null> {
  const beside = await readInlineTests(subject);
  const put = async (path: string, mode: string, text: string): Promise<GitTreeEdit> => ({
    path,
    entry: { id: writeBlob(subject.store, text), mode },
  });
  const changed = subject.changes.filter(
    (change) => isTestPath(getPathInBase(change) ?? '') && isChangedOrRemoved(change),
  );
  const others = changed.flatMap((change) => getPathInBase(change) ?? []);
  const paths = [...others, ...beside.map(({ from }) => from)];
  if (paths.length === 0) return null;
  const touched = [
    ...subject.changes.flatMap(({ path, headEntry }) => (headEntry && isTestPath(path) ? [path] : [])),
    ...beside.map(({ path }) => path),
  ];
  // As the base has them: what is new beside them may need what they have no more, as a crate of Rust its modules.
  const added = subject.changes.flatMap(({ path, baseEntry }): GitTreeEdit[] =>
    baseEntry === null && isTestPath(path) ? [{ path, entry: null }] : [],
  );
  return {
    basePaths: paths,
    baseTestFiles: [...others.filter(isTestFile), ...beside.map(({ from }) => from)],
    keptTestFiles: [
      ...changed.flatMap(({ path, headEntry }) => (headEntry && isTestFile(path) ? [path] : [])),
      ...beside.map(({ path }) => path),
    ],
    patchPaths: touched,
    baseTestsOnNewCode: async (wanted = paths) =>
      editTree(subject.store, subject.tree, [
        ...changed.filter((change) => wanted.includes(getPathInBase(change) ?? '')).flatMap(restoreBase),
        ...(await Promise.all(
          beside
            .filter(({ from }) => wanted.includes(from))
            .map(({ path, mode, withOld }) => put(path, mode, withOld)),
        )),
        ...(wanted === paths ? added : []),
        ...(await unaffectedTests(subject, wanted)).map((path): GitTreeEdit => ({ path, entry: null })),
      ]),
    patchTestsOnOldCode: async () =>
      editTree(subject.store, await writeBaseTreeWithPatchTests(subject), [
        ...(await Promise.all(beside.map(({ from, mode, withNew }) => put(from, mode, withNew)))),
        ...(await unaffectedTests(subject, touched)).map((path): GitTreeEdit => ({ path, entry: null })),
      ]),
  };
}

/**
 * Writes the patched tree with the hidden tests, and without tests that none of them imports.
 * @param store where the files go; it holds the objects of the patch.
 */
export async function writeTreeWithHiddenTests(
  store: GitStore,
  subject: PatchToCheck,
  hidden: HiddenTestFiles,
): Promise<string> {
  const unaffected = await unaffectedTests(
    subject,
    hidden.map(({ path }) => path),
  );
  return editTree(store, subject.tree, [
    ...unaffected.map((path): GitTreeEdit => ({ path, entry: null })),
    ...hidden.map(({ path, mode, content }) => ({ path, entry: { id: writeBlob(store, content), mode } })),
  ]);
}

/** The base's version under its own name; what the patch calls it is not there beside it. */
const restoreBase = (change: FileChange): GitTreeEdit[] => {
  const from = getPathInBase(change) ?? change.path;
  const back: GitTreeEdit = { path: from, entry: change.baseEntry };
  return from === change.path || change.headEntry === null
    ? [back]
    : [{ path: change.path, entry: null }, back];
};

/** Files that name packages: tests may need one that the base does not have. */
const PACKAGE_MANIFEST =
  /(^|\/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pyproject\.toml|requirements[^/]*|go\.(mod|sum)|Cargo\.(toml|lock))$/;

/** Tree with the code of the base and the tests of the patch. */
export async function writeBaseTreeWithPatchTests({ store, tree, changes }: PatchToCheck): Promise<string> {
  const edits: GitTreeEdit[] = changes.flatMap((change) => {
    const from = getPathInBase(change);
    const back: GitTreeEdit[] =
      from === null || isTestPath(from) || PACKAGE_MANIFEST.test(from)
        ? []
        : [{ path: from, entry: change.baseEntry }];
    const isNew = change.headEntry !== null && change.path !== from;
    return isNew && !isTestPath(change.path) && !PACKAGE_MANIFEST.test(change.path)
      ? [...back, { path: change.path, entry: null }]
      : back;
  });
  return editTree(store, tree, edits);
}

/** The same, with only those tests that the patch writes or changes, and what they need. */
export const writeBaseTreeWithChangedPatchTests = async (
  subject: PatchToCheck,
  changed: ChangedBaseTestFiles | null,
): Promise<string> =>
  changed?.patchTestsOnOldCode() ??
  writeTreeWithOnlyTests(
    subject,
    await writeBaseTreeWithPatchTests(subject),
    await listTestFilesInPatch(subject),
  );

/** Tests, and what lies beside them, that the patch writes: also where they stand among the code. */
export async function listTestFilesInPatch(subject: PatchToCheck): Promise<string[]> {
  const { patchTests } = await readTestSourceIndex(subject);
  const written = new Set(patchTests.map(({ path }) => path));
  return subject.changes.flatMap(({ path, headEntry }) =>
    headEntry && (isTestPath(path) || written.has(path)) ? [path] : [],
  );
}

/** Longest look at what imports what, in milliseconds of CPU time; where it takes longer, all tests run. */
const MAX_READ_CPU_MS = 30_000;

/** The code on both sides, or null when it takes too long to read. */
export const readProjectCodeWithinTimeLimit = (subject: PatchToCheck): Promise<ProjectCodeRevisions | null> =>
  readProjectCodeRevisions(subject, readThreadCpuMs() + MAX_READ_CPU_MS).catch(() => null);

/**
 * The tests of the patch that need not run again: those that do not differ, and that nothing that differs imports. Whatever runs the
 * tests then runs only what is left, without being told how.
 */
async function unaffectedTests(subject: PatchToCheck, wanted: readonly string[]): Promise<string[]> {
  const project = await readProjectCodeWithinTimeLimit(subject);
  if (project === null || !wanted.some(isTestFile)) return [];
  const needed = modulesNeededBy(project, wanted);
  const packages = new Set(wanted.flatMap((path) => (path.endsWith('_test.go') ? [folderOf(path)] : [])));
  return readTestReachability(project.head).testPaths.filter(
    (path) =>
      !wanted.includes(path) &&
      !needed.has(moduleOfPath(path)) &&
      // Go builds a package as a whole, and Rust has tests beside the code anyway.
      !(path.endsWith('_test.go') && packages.has(folderOf(path))) &&
      !path.endsWith('.rs'),
  );
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Modules that the wanted files need, directly or through others, as either side has it. */
function modulesNeededBy(
  { base, head }: ProjectCodeRevisions,
  wanted: readonly string[],
): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { importGraph } of [base, head])
    for (const module of findReachableModules(wanted.map(moduleOfPath), (from) =>
      (importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
    ))
      needed.add(module);
  return needed;
}

/** A tree with no tests but these, and what they need. */
export const writeTreeWithOnlyTests = async (
  subject: PatchToCheck,
  tree: string,
  tests: readonly string[],
): Promise<string> =>
  editTree(
    subject.store,
    tree,
    (await unaffectedTests(subject, tests)).map((path): GitTreeEdit => ({ path, entry: null })),
  );

/**
 * The tests that reach a file of the patch, by imports, or else by its name, and those that load what nobody can tell.
 * @returns null when nobody could find out in time.
 */
export async function createReachingTestsLookup(
  subject: PatchToCheck,
): Promise<((path: string) => string[]) | null> {
  const project = await readProjectCodeWithinTimeLimit(subject);
  if (project === null) return null;
  const reach = readTestReachability(project.head);
  const { patchTests } = await readTestSourceIndex(subject);
  // Rust has tests beside the code that they test.
  const beside = new Set(patchTests.flatMap(({ path }) => (path.endsWith('.rs') ? [path] : [])));
  return (path) => {
    const found = [...reach.testsReaching(path), ...(beside.has(path) ? [path] : [])];
    return [
      ...new Set([
        ...(found.length > 0 ? found : reach.testsNamedAfter(path)),
        ...reach.testsWithDynamicImports,
      ]),
    ];
  };
}
