import { listFiles } from '../../../workspace/git/list.ts';
import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import { OutOfTime } from '../../code/parsing/turns.ts';
import { projectOf } from '../../code/project.ts';
import { folderOf } from '../../code/resolve/resolver.ts';
import type { Subject } from '../../core/subject.ts';
import { type Selection, selectTests } from './select.ts';

/** Stands in a test command for the tests that the patch can break. */
const FILES = '{files}';
/** Longest list of files, in bytes, that goes into a command; the system's own limit is 128 KB for one argument. */
const MAX_LIST_BYTES = 100_000;

const selections = new WeakMap<Subject, Promise<Selection>>();

/** The tests that a patch can break, worked out once. */
export function selectionOf(subject: Subject, timeoutMs: number): Promise<Selection> {
  const known = selections.get(subject);
  if (known !== undefined) return known;
  const selection = projectOf(subject, ownCpuMs() + timeoutMs).then(
    (project) => selectTests(project, subject.changes),
    (error: unknown): Selection => {
      if (error instanceof OutOfTime) return { kind: 'all', reason: error.message };
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
export async function withSelectedTests(
  subject: Subject,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<string> {
  const selection = await selectionOf(subject, timeoutMs);
  const list = await listFor(subject, selection, tree);
  return command.replaceAll(FILES, () => list);
}

async function listFor(subject: Subject, selection: Selection, tree: string): Promise<string> {
  if (selection.kind === 'all') return '';
  const paths = new Set<string>();
  for (const { path } of await listFiles(subject.store, tree)) {
    paths.add(path);
    if (path.endsWith('.go')) paths.add(`./${folderOf(path)}`);
  }
  const touched = subject.touchedTests.map((path) =>
    path.endsWith('_test.go') ? `./${folderOf(path)}` : path,
  );
  const files = [...new Set([...selection.files, ...touched])].filter((file) => paths.has(file));
  const list = files.map(quoted).join(' ');
  // A list that does not fit, or a name that no command can have, must not make the tests fewer.
  return list.length > MAX_LIST_BYTES || !list.isWellFormed() ? '' : list;
}

const quoted = (path: string): string =>
  `'${(path.startsWith('-') ? `./${path}` : path).replaceAll("'", "'\\''")}'`;
