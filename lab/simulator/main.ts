import { parseArgs } from 'node:util';
import { installVirtualGlobals } from './world/virtual-globals.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    /** Number of the first run. */
    from: { type: 'string', default: '0' },
    /** Only this run of the seed. */
    run: { type: 'string' },
    /** Tells what happens in each run. */
    story: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
    /** Ends after so many counterexamples. */
    enough: { type: 'string', default: '1' },
    /** Name of a fault that is planted into the control plane first. */
    fault: { type: 'string' },
    /** Deals the runs out among so many processes. */
    processes: { type: 'string', default: '1' },
    /** In place of the simulation: kills the embedded stack so many times, for real. */
    'real-kills': { type: 'string' },
  },
});

function whole(name: 'runs' | 'seed' | 'from' | 'run' | 'enough' | 'processes' | 'real-kills'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number, not "${values[name]}"`);
  process.exit(2);
}

if (values['real-kills'] !== undefined) {
  const { runKillsCommand: killsCommand } = await import('./kills/kills-command.ts');
  process.exit(
    (await killsCommand(whole('real-kills'), whole('seed'), values.fault ?? null, values.json)) ? 0 : 1,
  );
}

const one = values.run !== undefined;
const counts = {
  runs: one ? 1 : whole('runs'),
  seed: whole('seed'),
  from: one ? whole('run') : whole('from'),
};

async function here() {
  if (values.fault !== undefined) {
    const { plantFault } = await import('./planted/plant-fault.ts');
    plantFault(values.fault);
  }
  // Before anything of the control plane is loaded: libraries keep what they find.
  installVirtualGlobals();
  // Errors are answers here, made by the thousand; the story says where they came from.
  if (!values.story) Error.stackTraceLimit = 0;
  const { simulate } = await import('./simulate.ts');
  const { story, 'no-shrink': asFound } = values;
  return simulate({ ...counts, story, shrink: !asFound, maxCounterexamples: whole('enough') }, console.log);
}

async function elsewhere() {
  const { spawnSimulations } = await import('./spawn-simulation.ts');
  const args = ['--enough', `${whole('enough')}`, ...(values.fault ? ['--fault', values.fault] : [])];
  return spawnSimulations({ ...counts, processes: whole('processes') }, args);
}

const started = performance.now();
const { record, broken } = whole('processes') > 1 && !one ? await elsewhere() : await here();
if (values.json) console.log(JSON.stringify({ record, broken }));
else {
  for (const each of broken) {
    console.log(`\nBROKEN: ${each.invariant}: ${each.message}\n`);
    for (const line of [...each.given, '', ...each.story]) console.log(line);
    console.log(`\nAgain: npm run simulate -- --seed ${each.seed} --run ${each.run}`);
  }
  const { countFaults: faultsOf } = await import('./simulation-record.ts');
  console.log(
    `${record.runs} runs, ${record.events} events, ${record.calls} calls (${faultsOf(record)} went wrong), ` +
      `${record.virtual_days.toFixed(1)} days, ${record.tasks} tasks, ${record.boxes} boxes, ${record.delivered} delivered, ` +
      `${record.cpu_seconds.toFixed(1)} s of CPU in ${((performance.now() - started) / 1_000).toFixed(0)} s; ${broken.length} broken`,
  );
}
process.exitCode = broken.length === 0 ? 0 : 1;
