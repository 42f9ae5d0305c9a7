import { editTree, type GitTreeEdit, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import {
  canSpliceTestCase,
  parseTestCaseFile,
  spliceTestCases,
  type TestCaseFile,
} from '../../../code/cases/splice-test-cases.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import type { ChangedFileText } from '../../../core/changed-texts.ts';
import { grammarOfPath } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { isPossibleTestSourceName, type TestResult } from '../../../core/test-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import type { TestCaseSource, TestSourceIndex } from '../sources/test-source-index.ts';
import { writeTreeWithOnlyTests } from './changed-tests.ts';

/** What became of one case in the file of the other side, and the tree that it ran in. */
export interface TestResultOnTree {
  readonly test: TestResult;
  readonly tree: string;
}

/** Most cases that are run one by one, where one that cannot be loaded takes the others with it. */
const MAX_SINGLE_CASES = 4;

export interface TestTransplantContext {
  readonly subject: PatchToCheck;
  readonly sources: TestSourceIndex;
  readonly runTests: (tree: string) => Promise<CompletedCommandRun>;
}

/**
 * Runs single cases of one side within the other side's version of their file: where the file as a whole needs what only its own side
 * has, a case of it may not. What uses helpers that the other side has not is left out.
 * @param into `patch`: cases of the base on the new code; `base`: those of the patch on the old code.
 */
export async function runTransplantedTests(
  into: 'base' | 'patch',
  wanted: readonly TestCaseSource[],
  context: TestTransplantContext,
): Promise<ReadonlyMap<TestCaseSource, TestResultOnTree>> {
  const came = new Map<TestCaseSource, TestResultOnTree>();
  const fitting = await findTransplantable(into, wanted, context);
  for (const group of [fitting, ...fitting.slice(0, MAX_SINGLE_CASES).map((each) => [each])]) {
    const open = group.filter(({ written }) => !came.has(written));
    if (open.length === 0) continue;
    const tree = await treeWithTransplants(into, open, context);
    const run = await context.runTests(tree);
    for (const { written } of open) {
      const test = findTestResultOfSource(run, written);
      if (test !== null) came.set(written, { test, tree });
    }
    if (fitting.length === 1) break;
  }
  return came;
}

/** The case as a run names it; null: it was not loaded, or there are several. */
export function findTestResultOfSource(
  { cases }: Pick<CompletedCommandRun, 'cases'>,
  { path, name }: TestCaseSource,
): TestResult | null {
  const found = (cases ?? []).filter(
    (test) => (test.file === null || test.file === path) && isPossibleTestSourceName(test.name, name),
  );
  return found.find(({ outcome }) => outcome === 'failed') ?? found[0] ?? null;
}

interface TransplantableCase {
  readonly written: TestCaseSource;
  readonly case: TestCaseFile['cases'][number];
  readonly text: ChangedFileText;
  readonly host: TestCaseFile;
  readonly donor: TestCaseFile;
}

async function findTransplantable(
  into: 'base' | 'patch',
  wanted: readonly TestCaseSource[],
  { sources }: TestTransplantContext,
): Promise<TransplantableCase[]> {
  const found: TransplantableCase[] = [];
  for (const text of sources.changedTexts) {
    const { path, basePath, before, after } = text;
    const own = wanted.filter((each) => each.path === path);
    const grammar = grammarOfPath(path);
    // A file that moved has another name in reports as well.
    if (own.length === 0 || grammar === null || basePath !== path || before === null || after === null)
      continue;
    try {
      const sides = {
        base: await parseTestCaseFile(grammar, before),
        patch: await parseTestCaseFile(grammar, after),
      };
      const [host, donor] = into === 'base' ? [sides.base, sides.patch] : [sides.patch, sides.base];
      for (const written of own) {
        const same = donor.cases.find(({ start, name }) => start === written.start && name === written.name);
        if (same && canSpliceTestCase(host, donor, same))
          found.push({ written, case: same, text, host, donor });
      }
    } catch (error) {
      if (!(error instanceof UnreadableCodeError)) throw error;
    }
  }
  return found;
}

async function treeWithTransplants(
  into: 'base' | 'patch',
  cases: readonly TransplantableCase[],
  { subject }: TestTransplantContext,
): Promise<string> {
  const edits: GitTreeEdit[] = [];
  const paths = [...new Set(cases.map(({ text }) => text.path))];
  for (const path of paths) {
    const own = cases.filter(({ text }) => text.path === path);
    const [first] = own;
    const change = subject.changes.find((each) => each.path === path);
    const mode = change?.headEntry?.mode;
    if (!first || mode === undefined) continue;
    const put = spliceTestCases(
      first.host,
      first.donor,
      own.map((each) => each.case),
    );
    edits.push({ path, entry: { id: writeBlob(subject.store, put), mode } });
  }
  const tree = into === 'base' ? subject.base : subject.tree;
  return editTree(subject.store, await writeTreeWithOnlyTests(subject, tree, paths), edits);
}
