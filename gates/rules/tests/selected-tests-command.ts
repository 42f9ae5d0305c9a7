import { type FileChange, getPathInBase } from '../../../workspace/git/file-changes.ts';
import { listFiles } from '../../../workspace/git/list-files.ts';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { CpuBudgetExceededError } from '../../code/parsing/cpu-budget.ts';
import { type ProjectCodeRevisions, readProjectCodeRevisions } from '../../code/project-code.ts';
import { parentFolderOf } from '../../code/resolve/import-resolver.ts';
import { isTestFile, readTestReachability } from '../../code/test-reachability.ts';
import { isDocumentationPath } from '../../core/gate-conditions.ts';
import { grammarOfPath, isProjectCodePath } from '../../core/language.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { findFileProtection } from '../protect/protection-lookup.ts';

/** The tests that a patch can break, as far as imports tell. */
type TestSelection =
  | { readonly kind: 'all'; readonly reason: string }
  | { readonly kind: 'files'; readonly files: readonly string[]; readonly reason: string };

const all = (reason: string): TestSelection => ({ kind: 'all', reason });

/**
 * Selects tests for a patch: changed tests themselves, and those that import what was changed, directly or through others, or
 * else are named after it. Whatever else may steer the tests (set-up, configuration, data, code of other languages, code
 * that cannot be read) selects everything, and so does code that no test is found for.
 */
export function selectAffectedTests(
  project: ProjectCodeRevisions,
  changes: readonly FileChange[],
): TestSelection {
  const head = readTestReachability(project.head);
  const base = readTestReachability(project.base);
  const isThere = (test: string): boolean => project.head.files.code.has(test);
  const selected = new Set<string>();
  for (const change of changes) {
    const paths = [...new Set([change.path, getPathInBase(change) ?? change.path])];
    if (paths.every(isDocumentationPath)) continue;
    const [untraceable] = paths.flatMap((path) => findUntraceableChange(path, project) ?? []);
    if (untraceable) return all(renderUntraceableChange(untraceable));
    const tests = paths.flatMap((path) => [
      ...head.testsReaching(path),
      ...base.testsReaching(path).filter(isThere),
    ]);
    const named = tests.length > 0 ? [] : paths.flatMap((path) => head.testsNamedAfter(path));
    // A test that went away has nothing left to be run.
    const isGone = change.headEntry === null && isTestFile(change.path);
    if (tests.length + named.length === 0 && !isGone) return all(`no test is found for ${change.path}`);
    for (const test of [...tests, ...named]) selected.add(test);
  }
  if (selected.size === 0) return all('the patch changes nothing that any test imports');
  for (const test of head.testsWithDynamicImports) selected.add(test);
  return {
    kind: 'files',
    files: runnable([...selected].sort()),
    reason: `${selected.size} of ${head.testPaths.length} test files import what was changed`,
  };
}

/** A changed file whose effect on the tests cannot be told from imports. */
type UntraceableChange = { readonly path: string } & (
  | { readonly code: 'steers_checks'; readonly reason: string }
  | { readonly code: 'not_code' | 'rust' | 'unreadable' }
);

/** Returns why imports do not tell what a change of this file does to the tests, or null where they do. */
function findUntraceableChange(path: string, { head }: ProjectCodeRevisions): UntraceableChange | null {
  const rule = findFileProtection(path);
  if (rule) return { code: 'steers_checks', path, reason: rule.reason };
  if (!isProjectCodePath(path)) return { code: 'not_code', path };
  // Rust keeps tests in the same files, and names them otherwise than by file.
  if (grammarOfPath(path) === 'rust') return { code: 'rust', path };
  const file = head.files.code.get(path);
  return file && head.hasParseErrors(file) ? { code: 'unreadable', path } : null;
}

function renderUntraceableChange(change: UntraceableChange): string {
  switch (change.code) {
    case 'steers_checks':
      return `${change.path} was changed: ${change.reason}`;
    case 'not_code':
      return `${change.path} was changed, which is no code that we can follow`;
    case 'rust':
      return `${change.path} was changed, and tests of Rust are not told apart by file`;
    case 'unreadable':
      return `${change.path} was changed and cannot be read`;
  }
}

/** What runners take: files, and for Go the folders of packages. */
const runnable = (tests: readonly string[]): string[] => [
  ...new Set(tests.map((test) => (test.endsWith('.go') ? `./${parentFolderOf(test)}` : test))),
];

/** Stands in a test command for the tests that the patch can break. */
const FILES = '{files}';
/** Longest list of files, in bytes, that goes into a command; the system's own limit is 128 KB for one argument. */
const MAX_LIST_BYTES = 100_000;

const selections = new WeakMap<PatchToCheck, Promise<TestSelection>>();

/** The tests that a patch can break, worked out once. */
export function getAffectedTestSelection(subject: PatchToCheck, timeoutMs: number): Promise<TestSelection> {
  const known = selections.get(subject);
  if (known !== undefined) return known;
  const selection = readProjectCodeRevisions(subject, readThreadCpuMs() + timeoutMs).then(
    (project) => selectAffectedTests(project, subject.changes),
    (error: unknown): TestSelection => {
      if (error instanceof CpuBudgetExceededError) return { kind: 'all', reason: error.message };
      throw error;
    },
  );
  selections.set(subject, selection);
  return selection;
}

/**
 * A test command for a tree, with the selected tests in the place of `{files}`. Tests that the patch takes away or changes are
 * among them wherever the tree has them. Everything is run when everything is selected: the place is left empty.
 */
export async function buildSelectedTestsCommand(
  subject: PatchToCheck,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<string> {
  const selection = await getAffectedTestSelection(subject, timeoutMs);
  const list = await listFor(subject, selection, tree);
  return command.replaceAll(FILES, () => list);
}

async function listFor(subject: PatchToCheck, selection: TestSelection, tree: string): Promise<string> {
  if (selection.kind === 'all') return '';
  const paths = new Set<string>();
  for (const { path } of await listFiles(subject.sandboxes.storeOf(tree), tree)) {
    paths.add(path);
    if (path.endsWith('.go')) paths.add(`./${parentFolderOf(path)}`);
  }
  const touched = subject.changedBaseTests.map((path) =>
    path.endsWith('_test.go') ? `./${parentFolderOf(path)}` : path,
  );
  const files = [...new Set([...selection.files, ...touched])].filter((file) => paths.has(file));
  const list = files.map(quoted).join(' ');
  // A list that does not fit, or a name that no command can have, must not make the tests fewer.
  return list.length > MAX_LIST_BYTES || !list.isWellFormed() ? '' : list;
}

const quoted = (path: string): string =>
  `'${(path.startsWith('-') ? `./${path}` : path).replaceAll("'", "'\\''")}'`;
