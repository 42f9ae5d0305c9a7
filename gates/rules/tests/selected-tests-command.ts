import { listFiles } from '../../../workspace/git/list-files.ts';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { CpuBudgetExceededError } from '../../code/parsing/cpu-budget.ts';
import { readProjectCode } from '../../code/project-code.ts';
import { parentFolderOf } from '../../code/resolve/import-resolver.ts';
import type { PatchSubject } from '../../core/patch-subject.ts';
import { selectAffectedTests, type TestSelection } from './test-impact-analysis.ts';

/** Stands in a test command for the tests that the patch can break. */
const FILES = '{files}';
/** Longest list of files, in bytes, that goes into a command; the system's own limit is 128 KB for one argument. */
const MAX_LIST_BYTES = 100_000;

const selections = new WeakMap<PatchSubject, Promise<TestSelection>>();

/** The tests that a patch can break, worked out once. */
export function getTestSelection(subject: PatchSubject, timeoutMs: number): Promise<TestSelection> {
  const known = selections.get(subject);
  if (known !== undefined) return known;
  const selection = readProjectCode(subject, readThreadCpuMs() + timeoutMs).then(
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
  subject: PatchSubject,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<string> {
  const selection = await getTestSelection(subject, timeoutMs);
  const list = await listFor(subject, selection, tree);
  return command.replaceAll(FILES, () => list);
}

async function listFor(subject: PatchSubject, selection: TestSelection, tree: string): Promise<string> {
  if (selection.kind === 'all') return '';
  const paths = new Set<string>();
  for (const { path } of await listFiles(subject.store, tree)) {
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
