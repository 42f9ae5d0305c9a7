import { parseArgs } from 'node:util';
import { installGlobals } from './world/globals.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
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
  },
});

function whole(name: 'runs' | 'seed' | 'run' | 'enough'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number, not "${values[name]}"`);
  process.exit(2);
}

if (values.fault !== undefined) {
  const { plant } = await import('./planted/plant.ts');
  plant(values.fault);
}
// Before anything of the control plane is loaded: libraries keep what they find.
installGlobals();
// Errors are answers here, made by the thousand; the story says where they came from.
if (!values.story) Error.stackTraceLimit = 0;
const { simulate } = await import('./simulate.ts');
const { record, broken } = await simulate(
  {
    runs: whole('runs'),
    seed: whole('seed'),
    only: values.run === undefined ? null : whole('run'),
    story: values.story,
    shrink: !values['no-shrink'],
    enough: whole('enough'),
  },
  console.log,
);
if (values.json) console.log(JSON.stringify({ record, broken }));
else {
  for (const each of broken) {
    console.log(`\nBROKEN: ${each.invariant}: ${each.message}\n`);
    for (const line of [...each.given, '', ...each.story]) console.log(line);
    console.log(`\nAgain: npm run simulate -- --seed ${each.seed} --run ${each.run}`);
  }
  console.log(
    `${record.runs} runs, ${record.events} events, ${record.calls} calls (${record.faults} went wrong), ${record.virtual_days} days, ` +
      `${record.tasks} tasks, ${record.boxes} boxes, ${record.delivered} delivered, ${record.cpu_seconds} s of CPU; ${broken.length} broken`,
  );
}
process.exitCode = broken.length === 0 ? 0 : 1;
