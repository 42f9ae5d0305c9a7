import * as fc from 'fast-check';
import { type Counterexample, describePlan, formatStory } from './counterexample.ts';
import { installSdkClients } from './engines/sdk-clients.ts';
import { runPlan } from './run-plan.ts';
import { shrinkPlan } from './shrink-plan.ts';
import { planArbitrary, type SimulationPlan } from './simulation-plan.ts';
import { createRecord, type SimulationRecord, sumRecords } from './simulation-record.ts';
import { hash32 } from './world/random-stream.ts';

export interface SimulationOptions {
  readonly runs: number;
  readonly seed: number;
  /** Number of the first run. */
  readonly from: number;
  /** Tells what happened in each run. */
  readonly story: boolean;
  /** Makes counterexamples small. */
  readonly shrink: boolean;
  /** Counterexamples after which it ends. */
  readonly maxCounterexamples: number;
}

const seedOf = (seed: number, index: number): number => hash32(`run ${index} of ${seed}`) | 0;

/** The plan of one run: the same for the same seed and number. */
export const generatePlan = (seed: number, index: number): SimulationPlan =>
  fc.sample(planArbitrary, { seed: seedOf(seed, index), numRuns: 1 })[0] as SimulationPlan;

/** A plan as small as can be found that breaks the same promise. */
async function smallest(seed: number, index: number, invariant: string): Promise<SimulationPlan> {
  const breaks = async (plan: SimulationPlan): Promise<boolean> =>
    (await runPlan(plan)).violations.some((each) => each.invariant === invariant);
  const property = fc.asyncProperty(planArbitrary, async (plan) => !(await breaks(plan)));
  const found = await fc.check(property, { seed: seedOf(seed, index), numRuns: 1 });
  return shrinkPlan(found.counterexample?.[0] ?? generatePlan(seed, index), breaks);
}

async function counterexample(
  options: SimulationOptions,
  index: number,
  invariant: string,
): Promise<Counterexample> {
  const plan = options.shrink
    ? await smallest(options.seed, index, invariant)
    : generatePlan(options.seed, index);
  const { violations, story } = await runPlan(plan, true);
  const message = violations.find((each) => each.invariant === invariant)?.message ?? '';
  return {
    seed: options.seed,
    run: index,
    invariant,
    message,
    given: describePlan(plan),
    story: formatStory(story),
  };
}

export interface SimulationRunsResult {
  readonly record: SimulationRecord;
  readonly broken: readonly Counterexample[];
}

/** Runs the plans of a seed; `tell` gets each story that is asked for. */
export async function simulate(
  options: SimulationOptions,
  tell: (line: string) => void,
): Promise<SimulationRunsResult> {
  installSdkClients();
  const started = process.cpuUsage();
  let record = sumRecords([]);
  const broken: Counterexample[] = [];
  const end = options.from + options.runs;
  for (let index = options.from; index < end && broken.length < options.maxCounterexamples; index++) {
    const plan = generatePlan(options.seed, index);
    const outcome = await runPlan(plan, options.story);
    record = sumRecords([record, createRecord(outcome)]);
    if (options.story) for (const line of [...describePlan(plan), ...formatStory(outcome.story)]) tell(line);
    const [worst] = outcome.violations;
    if (worst) broken.push(await counterexample(options, index, worst.invariant));
  }
  const { user, system } = process.cpuUsage(started);
  return { record: { ...record, cpu_seconds: (user + system) / 1e6 }, broken };
}
