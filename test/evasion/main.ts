import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { available } from './available.ts';
import { CORPUS } from './corpus.ts';
import { casesOf } from './folder.ts';
import { reportOf, tableOf } from './report.ts';
import { runCorpus } from './run.ts';

const HELP = `Usage: npm run evasion -- [options]

Judges patches that try to talk their way through the gates, and beside each an honest one that looks alike.
Exit code 0: every evasion is caught but for known misses, and no honest patch is held up. 1: not so. 2: wrong usage.

Options:
  --cases <folder>  cases of a folder, one JSON file each, instead of the corpus (fields: test/evasion/folder.ts)
  --only <text>     cases whose class or name contains this
  --json            print one JSON document
  --help            this text

Examples:
  npm run evasion
  npm run evasion -- --only Python
  npm run evasion -- --json > evasion.json`;

function fail(message: string): never {
  process.stderr.write(`error: ${message}\n(add --help for usage and examples)\n`);
  process.exit(2);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean' },
        cases: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { only, json, help, cases: folder } = readOptions();
if (help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const all = folder === undefined ? CORPUS : casesOf(folder);
const corpus = all.filter((each) => only === undefined || `${each.class}: ${each.name}`.includes(only));
if (only !== undefined && corpus.length === 0) fail(`no case has "${only}" in its class or name`);

const { stderr } = process;
const { cases, missing } = available(corpus);
for (const each of missing)
  stderr.write(`NOT JUDGED: ${each.cases} cases need ${each.program}, which is not here\n`);
if (cases.length === 0) fail('no case can be judged here');
const progress = (done: number, of: number): void => {
  if (stderr.isTTY) stderr.write(done < of ? `\r${done} of ${of} patches judged` : '\r\x1b[K');
};
const report = reportOf(await runCorpus(cases, availableParallelism(), progress));
process.stdout.write(`${json ? JSON.stringify(report, null, 2) : tableOf(report)}\n`);
process.exitCode = report.wrong.length > 0 ? 1 : 0;
