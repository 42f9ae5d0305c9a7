import { DEFAULT_EXPERIMENT_TIME_MULTIPLE } from '../../core/experiment-settings.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../core/gate-finding.ts';
import type { Language } from '../../core/language.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { listTestSourceNames } from '../../core/test-result.ts';
import type { BaselineResultProvider } from '../comparing/baseline-lookup.ts';
import { selectHiddenTestsOfLanguage } from '../comparing/hidden-tests-evidence.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import { changeDemonstrationExperiment } from './definitions/change-demonstration.ts';
import type { ExpectedTestChangeSet, TestInventoryComparison, TreeTestRunner } from './engine/experiment.ts';
import { createExperimentTestRunners, ExperimentCpuBudget } from './engine/test-runners.ts';
import { TEST_EXPERIMENTS } from './registry.ts';
import { runTestExperiments } from './scheduler.ts';
import { diffTestInventory } from './sources/test-inventory-diff.ts';
import { readTestSourceIndex } from './sources/test-source-index.ts';
import { readChangedBaseTestFiles } from './trees/changed-tests.ts';

export interface PassedPatchRun {
  /** What the run of the patch with its own tests came to. */
  readonly result: GateResult;
  readonly run: CompletedCommandRun;
  /** Null: a patch that changes nothing. */
  readonly getBaseline: BaselineResultProvider | null;
  /** Runs the tests on another tree. */
  readonly runTests: TreeTestRunner;
  /** Time limit of the gate, in milliseconds. */
  readonly timeLimitMs: number;
  /** What is left of it, in milliseconds. */
  readonly timeLeftMs: () => number;
  /** Whose tests the tool runs; absent or null: the command is the project's own. */
  readonly language?: Language | null;
}

type ComparedContext = Pick<GateContext, 'subject' | 'task' | 'hiddenTests' | 'experimentSettings'>;

/** Lets experiments decide over a patch whose own tests pass: whether tests still notice what the base's tests noticed. */
export async function runExperimentsAgainstBase(
  context: ComparedContext,
  passed: PassedPatchRun,
): Promise<GateResult> {
  const { result, run, getBaseline, timeLeftMs, timeLimitMs, language = null } = passed;
  if (result.outcome !== 'passed') return result;
  const { subject, task = null, hiddenTests = null, experimentSettings = null } = context;
  let runs = 0;
  const counted: TreeTestRunner = (tree, options) => {
    runs++;
    return passed.runTests(tree, options);
  };
  const suiteMs = run.processResult.cpuMs ?? run.processResult.durationMs;
  const budget = new ExperimentCpuBudget({
    suiteMs,
    factor: experimentSettings?.budget ?? DEFAULT_EXPERIMENT_TIME_MULTIPLE,
    timeLeftMs,
  });
  const experiments =
    getBaseline === null
      ? TEST_EXPERIMENTS.filter(({ tests }) => tests === 'hidden')
      : TEST_EXPERIMENTS.filter(
          ({ id }) => id !== changeDemonstrationExperiment.id || asksForOtherBehaviour(task),
        );
  const { inventory, isComparedByName } = await readInventory(subject, run, getBaseline);
  const runners = createExperimentTestRunners({
    run: counted,
    budget,
    patchMs: run.processResult.durationMs,
    baseMs: inventory.baseline?.duration_ms ?? null,
    timeLimitMs,
    startTimeLimit: (limitMs) => subject.sandboxes.startTimeLimit(limitMs),
  });
  const start = {
    subject,
    run,
    expected: expectedTestChanges(task?.expectedChanges),
    settings: experimentSettings,
    hidden: selectHiddenTestsOfLanguage(hiddenTests, language),
    language,
    readWeakenedTests: () => readWeakenedTests(subject),
    inventory,
  };
  const found = await runTestExperiments(experiments, start, runners);
  const hiddenResults = found.hidden ? { hiddenTestsResults: [found.hidden] } : {};
  if (getBaseline === null) return { ...result, ...hiddenResults };
  const clean =
    isComparedByName || experimentSettings === null
      ? result.detail
      : `${result.detail}; no test is named, so only exit codes are compared`;
  const judged = buildGateResult(
    found.findings.map((finding) => escalateTestOfTask(finding, task)),
    clean,
  );
  return {
    ...result,
    outcome: judged.outcome,
    detail: judged.detail,
    findings: [...judged.findings, ...result.findings],
    facts: {
      ...result.facts,
      ...sumOfCounts(judged, result),
      tests_compared: isComparedByName ? 'by name' : 'exit code only',
      ...(inventory.changedTests === null
        ? {}
        : { changed_test_files: inventory.changedTests.baseTestFiles.length }),
      ...found.facts,
      experiment_runs: runs,
      suite_cpu_ms: Math.round(suiteMs),
    },
    ...hiddenResults,
  };
}

/** What a task expects to change of tests; null: it does not say what it expects. */
const expectedTestChanges = (expectedChanges: readonly string[] | null | undefined): ExpectedTestChangeSet =>
  expectedChanges == null || expectedChanges.length === 0
    ? null
    : new Set(
        (['tests_change', 'expectations_change'] as const).filter((each) => expectedChanges.includes(each)),
      );

/** Titles of work after which everything is to behave as before. */
const SAME_BEHAVIOUR =
  /^\W*(?:refactor|rename|move|document|docs?|format|reformat|bump|upgrade|update dependenc|clean ?up|tidy|comment|test)/i;

const asksForOtherBehaviour = (task: ComparedContext['task'] | null): boolean =>
  task != null && task.title !== '' && !SAME_BEHAVIOUR.test(task.title);

/** Shortest name of a test or file that is looked for in a task. */
const MIN_NAME_CHARACTERS = 6;

/**
 * Fails a patch that removes or skips a test which its task names: such work is not done, so the next tier tries before a reviewer is
 * asked.
 */
function escalateTestOfTask(finding: GateFinding, task: ComparedContext['task'] | null): GateFinding {
  const { rule, severity, test = '', file } = finding;
  if (task == null || severity !== 'warning' || !LOST_TEST_RULES.has(rule)) return finding;
  const text = `${task.title}\n${task.description}`;
  const names = [...listTestSourceNames(test), file ?? ''].filter(
    ({ length }) => length >= MIN_NAME_CHARACTERS,
  );
  return names.some((name) => text.includes(name)) ? { ...finding, severity: 'error' } : finding;
}

const LOST_TEST_RULES: ReadonlySet<string> = new Set(['run_test_lost', 'run_test_skipped']);

interface ComparedInventory {
  readonly inventory: TestInventoryComparison;
  /** False: the runner or the base names no tests, so only exit codes are compared. */
  readonly isComparedByName: boolean;
}

async function readInventory(
  subject: PatchToCheck,
  run: CompletedCommandRun,
  getBaseline: BaselineResultProvider | null,
): Promise<ComparedInventory> {
  const [sources, changedTests] = [
    await readTestSourceIndex(subject),
    await readChangedBaseTestFiles(subject),
  ];
  // The base is asked in any case: only it tells whether names of tests are missing from the run.
  const baseline = await (getBaseline?.() ?? null);
  const isNamed = run.cases !== null && baseline?.cases != null;
  const before = baseline?.cases ?? [];
  const diff = diffTestInventory(before, isNamed ? (run.cases ?? []) : before, sources);
  return {
    inventory: { sources, diff, baseline, changedTests },
    isComparedByName: isNamed,
  };
}

async function readWeakenedTests(subject: PatchToCheck): Promise<readonly GateFinding[]> {
  const [{ createPatchForRules, runRules }, { WEAKENED_TEST_RULES }] = await Promise.all([
    import('../../rules/framework/run-rules.ts'),
    import('../../rules/changed-tests/rules.ts'),
  ]);
  return runRules(WEAKENED_TEST_RULES, await createPatchForRules(subject, []));
}

/** Counts of findings of both results. */
function sumOfCounts(judged: GateResult, { facts = {} }: GateResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [key, value] of Object.entries(judged.facts ?? {}))
    if (typeof value === 'number') counts[key] = value + Number(facts[key] ?? 0);
  return counts;
}
