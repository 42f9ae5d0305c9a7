import type { GateFinding } from '../../core/gate-finding.ts';
import type { HiddenTestsResult } from '../../core/hidden-tests-result.ts';
import {
  createExperimentFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentMetadata,
  type ExperimentResult,
  getLostTestCoverageSeverity,
  isBaseTestFailureReason,
  isBlockingFinding,
  type TestExperiment,
} from './engine/experiment.ts';
import {
  ExperimentBudgetSpentError,
  type ExperimentTestRunners,
  MissingExperimentEvidenceError,
} from './engine/test-runners.ts';

/** What all experiments together have found. */
export interface AllTestExperimentsResult {
  readonly findings: readonly GateFinding[];
  readonly facts: ExperimentMetadata;
  /** Null: there are no hidden tests, or none of them ran. */
  readonly hidden: HiddenTestsResult | null;
}

/**
 * Runs experiments one after the other, required evidence first, and leaves out those that could not change the outcome any more.
 * Required evidence that could not be made is a finding that needs review. Optional experiments share one budget; what did not run
 * because it was spent is named in the facts.
 */
export async function runTestExperiments(
  experiments: readonly TestExperiment[],
  start: Omit<ExperimentInput, 'failures' | 'runTests'>,
  runners: ExperimentTestRunners,
): Promise<AllTestExperimentsResult> {
  let context: ExperimentInput = { ...start, runTests: runners.optional, failures: new Map() };
  const findings: GateFinding[] = [];
  const facts: Record<string, string | number> = {};
  const notRun: string[] = [];
  let hidden: HiddenTestsResult | null = null;
  const isRequired = ({ evidence }: TestExperiment): boolean => evidence === 'required';
  const inOrder = [...experiments.filter(isRequired), ...experiments.filter((each) => !isRequired(each))];
  for (const experiment of inOrder) {
    if (!isEnabled(experiment, context)) continue;
    if (experiment.when === 'undecided' && isDecided(findings, hidden, context)) continue;
    if (!experiment.applies(context)) continue;
    const runTests = isRequired(experiment) ? runners.startRequired() : runners.optional;
    const result = await runOrTellWhyNot(experiment, { ...context, runTests });
    if (result === 'budget_spent') {
      notRun.push(experiment.id);
      continue;
    }
    findings.push(...result.findings);
    if (result.missing)
      findings.push(
        createExperimentFinding({
          file: null,
          severity: 'warning',
          cause: { rule: 'run_comparison_missing', experiment: experiment.id, reason: result.missing },
        }),
      );
    Object.assign(facts, result.facts);
    hidden = result.hidden ?? hidden;
    context = { ...context, failures: result.failures ?? context.failures };
  }
  return {
    findings,
    facts: notRun.length === 0 ? facts : { ...facts, experiments_not_run: notRun.join(', ') },
    hidden,
  };
}

const isEnabled = ({ needs }: TestExperiment, { settings }: ExperimentInput): boolean =>
  needs.every((each) =>
    each === 'mutants' ? settings?.mutants != null : settings?.perturbedEnvironment === true,
  );

/** Whether the gate cannot pass any more. */
function isDecided(
  findings: readonly GateFinding[],
  hidden: HiddenTestsResult | null,
  { failures, expected }: ExperimentInput,
): boolean {
  if (hidden?.outcome === 'failed' || findings.some(isBlockingFinding)) return true;
  const severity = getLostTestCoverageSeverity(expected, 'expectations_change');
  return severity !== 'info' && [...failures.values()].some(isBaseTestFailureReason);
}

async function runOrTellWhyNot(
  experiment: TestExperiment,
  context: ExperimentInput,
): Promise<ExperimentResult | 'budget_spent'> {
  try {
    return await experiment.run(context);
  } catch (error) {
    if (error instanceof MissingExperimentEvidenceError)
      return { ...EMPTY_EXPERIMENT_RESULT, missing: error.reason };
    if (error instanceof ExperimentBudgetSpentError) return 'budget_spent';
    throw error;
  }
}
