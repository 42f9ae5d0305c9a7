import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderBusyDayReport } from './busy-day-report.ts';
import { measureCalls } from './measure-calls.ts';
import { estimateScale } from './scale-model.ts';
import { renderScaleReport } from './scale-report.ts';

const HELP = `Usage: npm run scale -- [--per-day N]… [--json] [--write]
       npm run scale -- --simulate --vcpus N [--window S] [--per-day N]… [--json]

Counts on the embedded stack what a delivered task asks of AWS, and works out what so many tasks a day ask of each quota, and cost.
With --simulate the real functions run on virtual time, with the quotas as token buckets that refuse what is too much.

  --per-day <n>  tasks a day; may be given more than once (default: 10000, 100000, 1000000)
  --json         the figures for programs
  --write        into docs/measurements/scale.md
  --simulate     lets tasks come as at the busiest moment of such a day, and says which limit is met first
  --vcpus <n>    vCPUs of Fargate, on demand and on Spot each (default: 6)
  --window <s>   seconds in which tasks come (default: 60)
`;
const PAGE = join(import.meta.dirname, '../../docs/measurements/scale.md');
const BEGIN = '<!-- figures: written by `npm run scale -- --write` -->';
const END = '<!-- end of figures -->';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'per-day': { type: 'string', multiple: true, default: ['10000', '100000', '1000000'] },
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      simulate: { type: 'boolean' },
      vcpus: { type: 'string', default: '6' },
      window: { type: 'string', default: '60' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const whole = { 'per-day': values['per-day'], vcpus: [values.vcpus], window: [values.window] };
  for (const [name, given] of Object.entries(whole))
    if (!given.every((each) => Number.isSafeInteger(Number(each)) && Number(each) > 0)) {
      process.stderr.write(`error: --${name} must be a whole number above 0\n`);
      return 2;
    }
  const days = values['per-day'].map(Number);
  if (values.simulate) {
    // Only here: it puts virtual time in the place of the real one.
    const { simulateBusyDay } = await import('./busy-day.ts');
    for (const perDay of days) {
      const day = await simulateBusyDay(perDay, Number(values.vcpus), Number(values.window));
      process.stdout.write(values.json ? `${JSON.stringify(day)}\n` : `${renderBusyDayReport(day)}\n\n`);
    }
    return 0;
  }
  const counted = await measureCalls((line) => process.stderr.write(`${line}\n`));
  const scales = days.map((perDay) => estimateScale(perDay, counted));
  const text = renderScaleReport(counted, scales);
  process.stdout.write(values.json ? `${JSON.stringify({ counted, scales }, null, 2)}\n` : `${text}\n`);
  if (values.write) {
    const page = readFileSync(PAGE, 'utf8');
    const [before = '', rest = ''] = page.split(BEGIN);
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${rest.split(END)[1] ?? ''}`);
  }
  return 0;
}

process.exitCode = await main();
