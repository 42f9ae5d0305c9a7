import * as fc from 'fast-check';
import { installClients } from './engines/clients.ts';
import { minimal } from './minimal.ts';
import { type Plan, plans } from './plan.ts';
import { run } from './run.ts';
import { type Counterexample, describePlan, tellStory } from './story.ts';
import { type Record, recordOf, sumOf } from './sum.ts';
import { hash32 } from './world/random.ts';

export interface Options {
  readonly runs: number;
  readonly seed: number;
  /** Number of the first run. */
  readonly from: number;
  /** Tells what happened in each run. */
  readonly story: boolean;
  /** Makes counterexamples small. */
  readonly shrink: boolean;
  /** Counterexamples after which it ends. */
  readonly enough: number;
}

const seedOf = (seed: number, index: number): number => hash32(`run ${index} of ${seed}`) | 0;

/** The plan of one run: the same for the same seed and number. */
export const planOf = (seed: number, index: number): Plan =>
  fc.sample(plans, { seed: seedOf(seed, index), numRuns: 1 })[0] as Plan;

/** A plan as small as can be found that breaks the same promise. */
async function smallest(seed: number, index: number, invariant: string): Promise<Plan> {
  const breaks = async (plan: Plan): Promise<boolean> =>
    (await run(plan)).violations.some((each) => each.invariant === invariant);
  const property = fc.asyncProperty(plans, async (plan) => !(await breaks(plan)));
  const found = await fc.check(property, { seed: seedOf(seed, index), numRuns: 1 });
  return minimal(found.counterexample?.[0] ?? planOf(seed, index), breaks);
}

async function counterexample(options: Options, index: number, invariant: string): Promise<Counterexample> {
  const plan = options.shrink ? await smallest(options.seed, index, invariant) : planOf(options.seed, index);
  const { violations, story } = await run(plan, true);
  const message = violations.find((each) => each.invariant === invariant)?.message ?? '';
  return {
    seed: options.seed,
    run: index,
    invariant,
    message,
    given: describePlan(plan),
    story: tellStory(story),
  };
}

export interface Result {
  readonly record: Record;
  readonly broken: readonly Counterexample[];
}

/** Runs the plans of a seed; `tell` gets each story that is asked for. */
export async function simulate(options: Options, tell: (line: string) => void): Promise<Result> {
  installClients();
  const started = process.cpuUsage();
  let record = sumOf([]);
  const broken: Counterexample[] = [];
  const end = options.from + options.runs;
  for (let index = options.from; index < end && broken.length < options.enough; index++) {
    const plan = planOf(options.seed, index);
    const outcome = await run(plan, options.story);
    record = sumOf([record, recordOf(outcome)]);
    if (options.story) for (const line of [...describePlan(plan), ...tellStory(outcome.story)]) tell(line);
    const [worst] = outcome.violations;
    if (worst) broken.push(await counterexample(options, index, worst.invariant));
  }
  const { user, system } = process.cpuUsage(started);
  return { record: { ...record, cpu_seconds: (user + system) / 1e6 }, broken };
}
