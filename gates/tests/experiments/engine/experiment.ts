import type { ExperimentSettings } from '../../../core/experiment-settings.ts';
import type { FindingSeverity, GateFinding } from '../../../core/gate-finding.ts';
import type { HiddenTestFiles, HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import type { TestResult } from '../../../core/test-result.ts';
import type { BaselineResult } from '../../comparing/baseline-result.ts';
import type { CommandRun, EnvironmentOverrides } from '../../running/command-run.ts';
import type { TestInventoryDiff } from '../sources/test-inventory-diff.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import type { TestOnTree } from '../trees/transplant-case.ts';
import { type Cause, type FailureReason, type MissingEvidence, renderCause } from './messages.ts';

/** How a run differs from the run of the patch with its own tests. */
export interface RunOptions {
  readonly environment?: EnvironmentOverrides;
  /** Time for it, in milliseconds, where that is less than what the gate has left. */
  readonly limitMs?: number;
}

/** Runs the tests on a tree. */
export type RunTests = (tree: string, options?: RunOptions) => Promise<CommandRun>;

/** What a task may expect to change of tests: how they are written, or what they expect. */
type ExpectedTestChange = 'tests_change' | 'expectations_change';

/** What the task expects to change of tests; null: it does not say what it expects. */
export type ExpectedTestChanges = ReadonlySet<ExpectedTestChange> | null;

/** A base test that fails on the new code, and the tree that it ran in. */
export type BaseTestFailure = TestOnTree;

/**
 * Why a base test that fails needs no review so far. `as_strong`: the patch's version passes on both codes and notices as much, so the
 * test is only rewritten. `hunk_tested`: one hunk is the cause, and a test of the patch notices when it is reverted.
 */
interface AcceptedFailure {
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

/** One kind of experiment: tests of one side run once more under one changed condition. */
export interface Experiment {
  readonly id: string;
  /**
   * `required`: evidence that decides. It has a time limit of its own, derived from the base's time, and where it could not be made the
   * gate ends as `could_not_run`. `optional`: runs at the cost of the budget, and is left out once that is spent. `conclusion`: starts
   * no run, and reads what the rows before it found.
   */
  readonly evidence: 'required' | 'optional' | 'conclusion';
  /** Whose code runs. */
  readonly tree: 'patch' | 'base' | 'both';
  /** Which tests run: those that the patch changes (in the version of one side), those that reach its code, or hidden ones. */
  readonly tests: 'none' | 'base_version' | 'patch_version' | 'both_versions' | 'reaching' | 'hidden';
  /** What is changed of the code, or of what it runs in. */
  readonly perturbation:
    | 'none'
    | 'hunk_revert'
    | 'base_answers'
    | 'environment'
    | 'stubs'
    | 'return_values'
    | 'inputs'
    | 'mutants';
  /** Settings that must be on. */
  readonly needs: readonly ('mutants' | 'perturbed_environment')[];
  /** `undecided`: only while nothing holds the patch, since its answer could not change the outcome any more. */
  readonly when: 'always' | 'undecided';
  /** Whether there is something to ask. */
  readonly applies: (context: ExperimentContext) => boolean;
  /** Runs it. @throws BudgetSpentError where it has nothing to say without the runs that are missing. */
  readonly run: (context: ExperimentContext) => Promise<ExperimentResult>;
}

/** A finding of an experiment before its message is rendered. Decisions read these fields, never the message. */
interface ExperimentFinding extends Pick<GateFinding, 'severity' | 'file'> {
  readonly line?: number | null;
  /** Name of the test case that it is about. */
  readonly test?: string;
  readonly cause: Cause;
}

/** Longest message in characters. */
const MAX_MESSAGE = 1_000;

export const findingOf = ({ file, line = null, test, severity, cause }: ExperimentFinding): GateFinding => ({
  file,
  line,
  rule: cause.rule,
  ...(test === undefined ? {} : { test }),
  message: `${test === undefined ? '' : `${test}: `}${renderCause(cause)}`.slice(0, MAX_MESSAGE),
  severity,
});

/** A finding about one test, at its file. */
export const testFinding = (
  { file, name }: Pick<TestResult, 'file' | 'name'>,
  cause: Cause,
  severity: GateFinding['severity'],
  line: number | null = null,
): GateFinding => findingOf({ file, line, test: name, severity: severity, cause });
