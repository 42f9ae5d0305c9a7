import type { ExperimentSettings } from '../../../core/experiment-settings.ts';
import type { FindingSeverity, GateFinding } from '../../../core/gate-finding.ts';
import type { HiddenTestFiles, HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import type { BaselineResult } from '../../comparing/baseline-result.ts';
import type { CommandRun, EnvironmentOverrides } from '../../running/command-run.ts';
import type { TestInventoryDiff } from '../sources/test-inventory-diff.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import type { TestOnTree } from '../trees/transplant-case.ts';
import { BudgetSpentError } from './budget.ts';
import type { FailureReason, MissingEvidence } from './messages.ts';

/** How a run differs from the run of the patch with its own tests. */
export interface RunOptions {
  readonly environment?: EnvironmentOverrides;
  /** Time for it, in milliseconds, where that is less than what the gate has left. */
  readonly limitMs?: number;
}

/** Runs the tests on a tree. */
export type RunTests = (tree: string, options?: RunOptions) => Promise<CommandRun>;

/** What a task may expect to change of tests: how they are written, or what they expect. */
export type ExpectedTestChange = 'tests_change' | 'expectations_change';

/** What the task expects to change of tests; null: it does not say what it expects. */
export type ExpectedTestChanges = ReadonlySet<ExpectedTestChange> | null;

/** A base test that fails on the new code, and the tree that it ran in. */
export type BaseTestFailure = TestOnTree;

/**
 * Why a base test that fails needs no review so far. `as_strong`: the patch's version passes on both codes and notices as much, so the
 * test is only rewritten. `hunk_tested`: one hunk is the cause, and a test of the patch notices when it is reverted.
 */
export interface AcceptedFailure {
  readonly code: 'as_strong' | 'hunk_tested';
}

/** What was found out of a base test that fails; null: nothing so far. */
export type FailureJudgement = FailureReason | AcceptedFailure | null;

export const needsReview = (judgement: FailureJudgement): judgement is FailureReason =>
  judgement !== null && judgement.code !== 'as_strong' && judgement.code !== 'hunk_tested';

/** What is known of the tests of both sides before anything of them runs again. */
export interface TestInventory {
  readonly sources: TestSourceIndex;
  readonly diff: TestInventoryDiff;
  /** Null: the base did not need to run. */
  readonly baseline: BaselineResult | null;
  /** Null: the patch leaves the tests of the base as they are. */
  readonly changedTests: ChangedTests | null;
}

/** What experiments ask with, and what earlier ones have found. The scheduler fills in the second part. */
export interface ExperimentContext {
  readonly subject: PatchSubject;
  /** Run of the patch with its own tests, which passed. */
  readonly run: CommandRun;
  readonly expected: ExpectedTestChanges;
  readonly settings: ExperimentSettings | null;
  /** Tests that only the gates container has; null: none for what this run covers. */
  readonly hidden: HiddenTestFiles | null;
  /** Whose tests the tool runs; null: the command is the project's own. */
  readonly language: Language | null;
  /** Runs the tests on another tree. @throws BudgetSpentError in optional rows, MissingEvidenceError in required ones */
  readonly runTests: RunTests;
  /** What changed tests check less than before, as far as reading them tells. */
  readonly readWeakenedTests: () => Promise<readonly GateFinding[]>;
  readonly inventory: TestInventory;
  readonly failures: ReadonlyMap<BaseTestFailure, FailureJudgement>;
}

export type Facts = Readonly<Record<string, string | number>>;

/** What an experiment has found. */
export interface ExperimentResult {
  readonly findings: readonly GateFinding[];
  /** For the record. */
  readonly facts: Facts;
  /** Why a required row could not make all of its evidence; absent: it has made it. */
  readonly missing?: MissingEvidence;
  /** Base tests that fail on the new code, and what was found out of them. */
  readonly failures?: ExperimentContext['failures'];
  readonly hidden?: HiddenTestsResult;
}

export const NO_RESULT: ExperimentResult = { findings: [], facts: {} };

/** Whether a finding keeps the gate from passing. */
export const holdsPatch = ({ severity }: GateFinding): boolean =>
  severity === 'error' || severity === 'warning';

/**
 * Severity of lost protection. A note where just that was expected; an error where the task expects no test to change: no honest work
 * needs it. Else a reviewer decides: tests that are rewritten check the same as before, and where expectations change none has to go.
 */
export const severityOfLostProtection = (
  expected: ExpectedTestChanges,
  what: ExpectedTestChange,
): FindingSeverity => {
  if (expected === null) return 'warning';
  if (expected.has(what)) return 'info';
  return expected.size === 0 ? 'error' : 'warning';
};

/** Severity of what honest work does as well: a note, unless the task expects no test to change. */
export const severityOfChange = (expected: ExpectedTestChanges): FindingSeverity =>
  expected?.size === 0 ? 'warning' : 'info';

/** Works until the budget is spent; what is done by then counts. @returns whether all was done. */
export async function untilBudgetIsSpent(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof BudgetSpentError) return false;
    throw error;
  }
}
