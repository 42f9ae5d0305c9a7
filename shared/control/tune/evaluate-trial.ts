import { interpolateQuantile } from '../cascade/learning/intervals.ts';
import { createSeededRandom } from '../cascade/learning/seeded-random.ts';
import { isInTrialGroup } from './active-changes.ts';
import type { LearnedRecordedTask } from './deployment-tasks.ts';
import type { TuningProposalTestResult } from './proposals.ts';
import { formatEstimate, MIN_TEST_TASKS, roundEstimate } from './replay-change.ts';

const RESAMPLES = 1_000;
/** Tasks on both sides after which a trial that shows nothing is over. */
const MAX_TRIAL_TASKS = 40;

const mean = (values: readonly number[]): number =>
  values.reduce((total, each) => total + each, 0) / values.length;

/** The difference of two means, and where it lies when both samples are drawn again and again. */
function bootstrapDifference(a: readonly number[], b: readonly number[]) {
  const random = createSeededRandom('trial');
  const drawn = (of: readonly number[]): number => {
    let total = 0;
    for (let at = 0; at < of.length; at++) total += of[Math.floor(random.uniform() * of.length)] ?? 0;
    return total / of.length;
  };
  const all = Array.from({ length: RESAMPLES }, () => drawn(a) - drawn(b)).sort((x, y) => x - y);
  return {
    mean: mean(a) - mean(b),
    low: interpolateQuantile(all, 0.025),
    high: interpolateQuantile(all, 0.975),
  };
}

/**
 * Compares the tasks of a role that were given a change with those that were not, of those that began after the trial did; which is which their
 * ids decide. Null: it is not over. It holds when the share of first attempts that pass is higher at 95 %.
 */
export function evaluateTrial(
  proposal: string,
  role: string,
  since: string,
  tasks: readonly LearnedRecordedTask[],
  now: Date,
): TuningProposalTestResult | { readonly running: string } {
  const own = tasks.filter((task) => task.role === role && task.started_at > since);
  const [given, others] = [true, false].map((side) =>
    own.filter(({ id }) => isInTrialGroup(proposal, id) === side),
  ) as [LearnedRecordedTask[], LearnedRecordedTask[]];
  const counts = `${given.length} tasks with it, ${others.length} without`;
  if (given.length < MIN_TEST_TASKS || others.length < MIN_TEST_TASKS)
    return { running: `${counts}; ${MIN_TEST_TASKS} of both are needed` };
  // Work that climbed has failed on an earlier tier, and the prompt with it.
  const first = ({ tiers }: LearnedRecordedTask): number =>
    Object.values(tiers).every(({ passed }) => passed) ? 1 : 0;
  const pass_rate = bootstrapDifference(given.map(first), others.map(first));
  const numbers = `${counts}: share whose first attempt passed ${formatEstimate(pass_rate, 3)}`;
  const said = (holds: boolean, why: string): TuningProposalTestResult => ({
    by: 'trial',
    at: now.toISOString(),
    passed: holds,
    reason: `trial: ${why}`,
    tasks: own.length,
    excluded: 0,
    worst_case: 0,
    cost_usd: null,
    pass_rate: roundEstimate(pass_rate),
  });
  if (pass_rate.low > 0) return said(true, numbers);
  if (pass_rate.high < 0) return said(false, `${numbers}; it is worse`);
  return given.length >= MAX_TRIAL_TASKS && others.length >= MAX_TRIAL_TASKS
    ? said(false, `${numbers}; it is not shown to help`)
    : { running: numbers };
}
