import { parseArgs } from 'node:util';
import { CORPUS } from './corpus.ts';
import { reportOf, tableOf } from './report.ts';
import { runCorpus } from './run.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } });
const { only } = values;
const corpus = CORPUS.filter((each) => only === undefined || `${each.class}: ${each.name}`.includes(only));
const report = reportOf(await runCorpus(corpus));
console.log(values.json ? JSON.stringify(report, null, 2) : tableOf(report));
process.exitCode = report.wrong.length > 0 ? 1 : 0;
