/** `npm run simulate:check`: what CI asks of the simulation. 500 runs in which nothing breaks, and each planted fault found within as many. */
import { availableParallelism } from 'node:os';
import { mapConcurrently } from '../../shared/lib/map-concurrently.ts';
import { PLANTED_FAULTS } from './planted/planted-faults.ts';
import { countFaults } from './simulation-record.ts';
import { spawnSimulation, spawnSimulations } from './spawn-simulation.ts';

const RUNS = 500;
const SEED = 7;

async function calm(): Promise<boolean> {
  const { record, broken } = await spawnSimulations({
    runs: RUNS,
    seed: SEED,
    processes: availableParallelism(),
  });
  for (const { invariant, message, given, story, run } of broken)
    console.log(
      [`BROKEN: ${invariant}: ${message}`, ...given, ...story, `Again: --seed ${SEED} --run ${run}`].join(
        '\n',
      ),
    );
  const faults = countFaults(record);
  console.log(
    `${record.runs} runs, ${record.tasks} tasks, ${faults} calls went wrong, ${record.delivered} delivered, ${broken.length} broken`,
  );
  // It looks at something: work is delivered, and much goes wrong on the way.
  return broken.length === 0 && record.runs === RUNS && record.delivered > 100 && faults > 300;
}

async function finds(name: string, breaks: readonly string[]): Promise<boolean> {
  const { record, broken } = await spawnSimulation(['--runs', `${RUNS}`, '--fault', name, '--no-shrink']);
  const found = broken[0]?.invariant;
  const ok = found !== undefined && breaks.includes(found);
  console.log(
    `${ok ? 'found    ' : 'NOT FOUND'}  ${name}: ${found ?? 'nothing broke'}${found && !ok ? ', which it should not break' : ''}, in run ${record.runs}`,
  );
  return ok;
}

/** The planted faults, as many at a time as there are cores. */
async function findsAll(): Promise<boolean> {
  const faults = Object.entries(PLANTED_FAULTS);
  const results = await mapConcurrently(availableParallelism(), faults, ([name, { breaks }]) =>
    finds(name, breaks),
  );
  return results.every(Boolean);
}

const results = [await calm(), await findsAll()];
process.exitCode = results.every(Boolean) ? 0 : 1;
