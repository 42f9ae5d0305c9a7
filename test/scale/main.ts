import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './measure.ts';
import { scaleOf } from './model.ts';
import { report } from './report.ts';

const HELP = `Usage: npm run scale -- [--per-day N]… [--json] [--write]

Counts on the embedded stack what a delivered task asks of AWS, and works out what so many tasks a day ask of each quota, and cost.

  --per-day <n>  tasks a day; may be given more than once (default: 10000, 100000, 1000000)
  --json         the figures for programs
  --write        into docs/scale.md
`;
const PAGE = join(import.meta.dirname, '../../docs/scale.md');
const BEGIN = '<!-- figures: written by `npm run scale -- --write` -->';
const END = '<!-- end of figures -->';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'per-day': { type: 'string', multiple: true, default: ['10000', '100000', '1000000'] },
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const days = values['per-day'].map(Number);
  if (!days.every((each) => Number.isSafeInteger(each) && each > 0)) {
    process.stderr.write('error: --per-day must be a whole number above 0\n');
    return 2;
  }
  const counted = await measure((line) => process.stderr.write(`${line}\n`));
  const scales = days.map((perDay) => scaleOf(perDay, counted));
  const text = report(counted, scales);
  process.stdout.write(values.json ? `${JSON.stringify({ counted, scales }, null, 2)}\n` : `${text}\n`);
  if (values.write) {
    const page = readFileSync(PAGE, 'utf8');
    const [before = '', rest = ''] = page.split(BEGIN);
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${rest.split(END)[1] ?? ''}`);
  }
  return 0;
}

process.exitCode = await main();
