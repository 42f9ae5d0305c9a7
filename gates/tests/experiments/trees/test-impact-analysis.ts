import { editTree, type GitTreeEdit } from '../../../../workspace/git/edit-tree.ts';
import { readThreadCpuMs } from '../../../../workspace/process/cpu-time.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import { type ProjectCode, readProjectCode } from '../../../code/project-code.ts';
import { isTestFile, readTestReachability } from '../../../code/test-reachability.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { readTestSourceIndex } from '../sources/test-source-index.ts';

/** Longest look at what imports what, in milliseconds of CPU time; where it takes longer, all tests run. */
const MAX_READ_CPU_MS = 30_000;

/** The code on both sides, or null when it takes too long to read. */
export const readProjectInTime = (subject: PatchSubject): Promise<ProjectCode | null> =>
  readProjectCode(subject, readThreadCpuMs() + MAX_READ_CPU_MS).catch(() => null);

/**
 * The tests of the patch that need not run again: those that do not differ, and that nothing that differs imports. Whatever runs the
 * tests then runs only what is left, without being told how.
 */
export async function unaffectedTests(subject: PatchSubject, wanted: readonly string[]): Promise<string[]> {
  const project = await readProjectInTime(subject);
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
function modulesNeededBy({ base, head }: ProjectCode, wanted: readonly string[]): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { importGraph } of [base, head])
    for (const module of findReachableModules(wanted.map(moduleOfPath), (from) =>
      (importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
    ))
      needed.add(module);
  return needed;
}

/** A tree with no tests but these, and what they need. */
export const treeWithOnlyTests = async (
  subject: PatchSubject,
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
export async function readReachingTests(subject: PatchSubject): Promise<((path: string) => string[]) | null> {
  const project = await readProjectInTime(subject);
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
