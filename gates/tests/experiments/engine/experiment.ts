import type { TestExperimentSettings } from '../../../core/experiment-settings.ts';
import type { FindingSeverity, GateFinding } from '../../../core/gate-finding.ts';
import type { HiddenTestFiles, HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import type { TestResult } from '../../../core/test-result.ts';
import type { BaselineResult } from '../../comparing/baseline-result.ts';
import type { CompletedCommandRun, EnvironmentOverrides } from '../../running/command-run.ts';
import type { TestInventoryDiff } from '../sources/test-inventory-diff.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import type { ChangedBaseTestFiles } from '../trees/changed-tests.ts';
import type { TestResultOnTree } from '../trees/transplant-case.ts';
import {
  type BaseTestFailureReason,
  type FindingCause,
  type MissingEvidenceReason,
  renderFindingCause,
} from './finding-causes.ts';

/** How a run differs from the run of the patch with its own tests. */
export interface ExperimentRunOptions {
  readonly environment?: EnvironmentOverrides;
  /** Time for it, in milliseconds, where that is less than what the gate has left. */
  readonly limitMs?: number;
  /** The first test that fails ends the run, where its runner can be told so: only whether one fails counts. */
  readonly stopsAtFirstFailure?: boolean;
}

/** Runs the tests on a tree. */
export type TreeTestRunner = (tree: string, options?: ExperimentRunOptions) => Promise<CompletedCommandRun>;

/** What a task may expect to change of tests: how they are written, or what they expect. */
type ExpectedTestChange = 'tests_change' | 'expectations_change';

/** What the task expects to change of tests; null: it does not say what it expects. */
export type ExpectedTestChangeSet = ReadonlySet<ExpectedTestChange> | null;

/** A base test that fails on the new code, and the tree that it ran in. */
export type BaseTestFailure = TestResultOnTree;

/**
 * Why a base test that fails needs no review so far. `as_strong`: the patch's version passes on both codes and notices as much, so the
 * test is only rewritten. `hunk_tested`: one hunk is the cause, and a test of the patch notices when it is reverted.
 */
interface AcceptedFailure {
  readonly code: 'as_strong' | 'hunk_tested';
}

/** What was found out of a base test that fails; null: nothing so far. */
export type BaseFailureAssessment = BaseTestFailureReason | AcceptedFailure | null;

export const isBaseTestFailureReason = (
  judgement: BaseFailureAssessment,
): judgement is BaseTestFailureReason =>
  judgement !== null && judgement.code !== 'as_strong' && judgement.code !== 'hunk_tested';

/** What is known of the tests of both sides before anything of them runs again. */
export interface TestInventoryComparison {
  readonly sources: TestSourceIndex;
  readonly diff: TestInventoryDiff;
  /** Null: the base did not need to run. */
  readonly baseline: BaselineResult | null;
  /** Null: the patch leaves the tests of the base as they are. */
  readonly changedTests: ChangedBaseTestFiles | null;
}

/** What experiments ask with, and what earlier ones have found. The scheduler fills in the second part. */
export interface ExperimentInput {
  readonly subject: PatchToCheck;
  /** Run of the patch with its own tests, which passed. */
  readonly run: CompletedCommandRun;
  readonly expected: ExpectedTestChangeSet;
  readonly settings: TestExperimentSettings | null;
  /** Tests that only the gates container has; null: none for what this run covers. */
  readonly hidden: HiddenTestFiles | null;
  /** Whose tests the tool runs; null: the command is the project's own. */
  readonly language: Language | null;
  /** Runs the tests on another tree. @throws ExperimentBudgetSpentError in optional rows, MissingExperimentEvidenceError in required ones */
  readonly runTests: TreeTestRunner;
  /** What changed tests check less than before, as far as reading them tells. */
  readonly readWeakenedTests: () => Promise<readonly GateFinding[]>;
  readonly inventory: TestInventoryComparison;
  readonly failures: ReadonlyMap<BaseTestFailure, BaseFailureAssessment>;
}

export type ExperimentMetadata = Readonly<Record<string, string | number>>;

/** What an experiment has found. */
export interface ExperimentResult {
  readonly findings: readonly GateFinding[];
  /** For the record. */
  readonly facts: ExperimentMetadata;
  /** Why a required row could not make all of its evidence; absent: it has made it. */
  readonly missing?: MissingEvidenceReason;
  /** Base tests that fail on the new code, and what was found out of them. */
  readonly failures?: ExperimentInput['failures'];
  readonly hidden?: HiddenTestsResult;
}

export const EMPTY_EXPERIMENT_RESULT: ExperimentResult = { findings: [], facts: {} };

/** Whether a finding keeps the gate from passing. */
export const isBlockingFinding = ({ severity }: GateFinding): boolean =>
  severity === 'error' || severity === 'warning';

/**
 * Severity of lost protection. A note where just that was expected; an error where the task expects no test to change: no honest work
 * needs it. Else a reviewer decides: tests that are rewritten check the same as before, and where expectations change none has to go.
 */
export const getLostTestCoverageSeverity = (
  expected: ExpectedTestChangeSet,
  what: ExpectedTestChange,
): FindingSeverity => {
  if (expected === null) return 'warning';
  if (expected.has(what)) return 'info';
  return expected.size === 0 ? 'error' : 'warning';
};

/** Severity of what honest work does as well: a note, unless the task expects no test to change. */
export const getTestChangeSeverity = (expected: ExpectedTestChangeSet): FindingSeverity =>
  expected?.size === 0 ? 'warning' : 'info';

/** One kind of experiment: tests of one side run once more under one changed condition. */
export interface TestExperiment {
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
  readonly applies: (context: ExperimentInput) => boolean;
  /** Runs it. @throws ExperimentBudgetSpentError where it has nothing to say without the runs that are missing. */
  readonly run: (context: ExperimentInput) => Promise<ExperimentResult>;
}

/** A finding of an experiment before its message is rendered. Decisions read these fields, never the message. */
interface ExperimentFinding extends Pick<GateFinding, 'severity' | 'file'> {
  readonly line?: number | null;
  /** Name of the test case that it is about. */
  readonly test?: string;
  readonly cause: FindingCause;
}

/** Longest message in characters. */
const MAX_MESSAGE = 1_000;

export const createExperimentFinding = ({
  file,
  line = null,
  test,
  severity,
  cause,
}: ExperimentFinding): GateFinding => ({
  file,
  line,
  rule: cause.rule,
  ...(test === undefined ? {} : { test }),
  message: `${test === undefined ? '' : `${test}: `}${renderFindingCause(cause)}`.slice(0, MAX_MESSAGE),
  severity,
});

/** A finding about one test, at its file. */
export const createTestCaseFinding = (
  { file, name }: Pick<TestResult, 'file' | 'name'>,
  cause: FindingCause,
  severity: GateFinding['severity'],
  line: number | null = null,
): GateFinding => createExperimentFinding({ file, line, test: name, severity: severity, cause });
