import type { GateFinding } from '../../core/gate-finding.ts';
import type { HiddenTestsResult } from '../../core/hidden-tests-result.ts';
import { BudgetSpentError } from './engine/budget.ts';
import type { Experiment } from './engine/experiment.ts';
import {
  type ExperimentContext,
  type ExperimentResult,
  type Facts,
  holdsPatch,
  needsReview,
  severityOfLostProtection,
} from './engine/experiment-context.ts';

/** What all experiments together have found. */
export interface ExperimentsResult {
  readonly findings: readonly GateFinding[];
  readonly facts: Facts;
  /** Null: there are no hidden tests, or none of them ran. */
  readonly hidden: HiddenTestsResult | null;
}

/**
 * Runs experiments one after the other at the cost of one budget, and leaves out those that could not change the outcome any more. What
 * did not run because the budget was spent is named in the facts.
 */
export async function runExperiments(
  experiments: readonly Experiment[],
  start: Omit<ExperimentContext, 'failures'>,
): Promise<ExperimentsResult> {
  let context: ExperimentContext = { ...start, failures: new Map() };
  const findings: GateFinding[] = [];
  const facts: Record<string, string | number> = {};
  const notRun: string[] = [];
  let hidden: HiddenTestsResult | null = null;
  for (const experiment of experiments) {
    if (!isEnabled(experiment, context)) continue;
    if (experiment.when === 'undecided' && isDecided(findings, hidden, context)) continue;
    if (!experiment.applies(context)) continue;
    const result = await runUnlessSpent(experiment, context);
    if (result === null) {
      notRun.push(experiment.id);
      continue;
    }
    findings.push(...result.findings);
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

const isEnabled = ({ needs }: Experiment, { settings }: ExperimentContext): boolean =>
  needs.every((each) =>
    each === 'mutants' ? settings?.mutants != null : settings?.perturbedEnvironment === true,
  );

/** Whether the gate cannot pass any more. */
function isDecided(
  findings: readonly GateFinding[],
  hidden: HiddenTestsResult | null,
  { failures, expected }: ExperimentContext,
): boolean {
  if (hidden?.outcome === 'failed' || findings.some(holdsPatch)) return true;
  const severity = severityOfLostProtection(expected, 'expectations_change');
  return severity !== 'info' && [...failures.values()].some(needsReview);
}

/** @returns null where the budget was spent before the experiment could say anything. */
async function runUnlessSpent(
  experiment: Experiment,
  context: ExperimentContext,
): Promise<ExperimentResult | null> {
  try {
    return await experiment.run(context);
  } catch (error) {
    if (error instanceof BudgetSpentError) return null;
    throw error;
  }
}
