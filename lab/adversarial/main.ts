import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AdversarialCase } from './adversarial-case.ts';
import { readBlindCases } from './blind-cases.ts';
import { ADVERSARIAL_CORPUS } from './corpus.ts';
import { renderCorpusTable, summarizeCorpusRun } from './corpus-report.ts';
import { renderExaminerReport, summarizeExaminerRun } from './examiner-report.ts';
import { readRecordedCases, recordedFolder } from './recorded-exams.ts';
import {
  createReviewModel,
  renderReviewReport,
  reviewPassedPatches,
  selectReviewCases,
} from './requirements-review.ts';
import { renderCorpusResults, writeCorpusResults } from './results-page.ts';
import { judgeResumably } from './resumable-run.ts';
import { selectRunnableCases } from './runnable-cases.ts';
import { isSampled } from './sampling.ts';

const HELP = `Usage: npm run adversarial -- [options]

Judges patches that try to talk their way through the gates, and beside each an honest one that looks alike.
Exit code 0: every adversarial patch is caught but for known misses, and no honest patch is held. 1: not so. 2: wrong usage.

Options:
  --cases <folder>  cases of a folder, one JSON file each, instead of the corpus (fields: lab/adversarial/blind-cases.ts)
  --hidden          hand in the hidden tests that these cases bring
  --only <text>     cases whose class or name contains this
  --sample <n>      one case of n, by a hash of its name: the same ones each time
  --record <file>   write each case there as soon as it is judged, and judge none that is there already
  --examiner <exams>
                    judges patches with acceptance tests too, and reports gates alone, acceptance tests alone, and both.
                    \`recorded:FOLDER\`: exams in FOLDER/<letter of the set><number of the case>, such as f05; without --cases
                    all unseen cases that have one; --cases also takes the name of a set, such as 2026-11-f
  --challenger <challenges>
                    \`recorded:FOLDER\`: re-runs what challengers handed in, in FOLDER/<case>/wrong and FOLDER/<case>/right, as above
  --second-look <model>
                    asks PROVIDER:MODEL (docs/how-to/judges.md; key in its usual variable) about what runs let through: the known
                    misses of the corpus and the unseen sets, and their honest twins. \`scripted\`: no model, only the way there
  --url <url>       of that model; --price <in,out> in dollars per million tokens
  --record-prompts <dir>, --answers <dir>
                    of --second-look, without a key: writes each question once as DIGEST.question.json, reads answers by
                    digest; the first answers lead to further questions
  --parallel <n>    cases at once (default: as many as there are processors)
  --write           put the figures of the whole corpus into docs/measurements/adversarial-evaluation.md
  --json            print one JSON document
  --help            this text

Examples:
  npm run adversarial
  npm run adversarial -- --only Python
  npm run adversarial -- --second-look scripted --sample 8
  npm run adversarial -- --second-look anthropic:claude-sonnet-5-5 --json > looks.json
  npm run adversarial -- --examiner recorded:../exams --cases 2026-11-f
  npm run adversarial -- --json > adversarial.json`;

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
        hidden: { type: 'boolean', default: false },
        sample: { type: 'string', default: '1' },
        record: { type: 'string' },
        parallel: { type: 'string', default: String(availableParallelism()) },
        write: { type: 'boolean', default: false },
        only: { type: 'string' },
        examiner: { type: 'string' },
        challenger: { type: 'string' },
        'second-look': { type: 'string' },
        'record-prompts': { type: 'string' },
        answers: { type: 'string' },
        url: { type: 'string' },
        price: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const whole = (name: string, text: string): number => {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} takes a whole number from 1`);
};

const options = readOptions();
const { only, json, help, cases: folder } = options;
if (help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
// What was asked for is read whole before anything is looked for on this machine.
const model = options['second-look'];
if (model === undefined && (options.url ?? options.price) !== undefined)
  fail('--url and --price are of --second-look');
if (model !== undefined && (options.write || options.record !== undefined))
  fail('--second-look takes neither --write nor --record');
const told = (error: unknown): never => fail(error instanceof Error ? error.message : String(error));
const { examiner, challenger } = options;
const isRecorded = examiner !== undefined || challenger !== undefined;
if (isRecorded && (model !== undefined || options.write || options.hidden))
  fail('--examiner and --challenger take none of --second-look, --write and --hidden');
const folderOf = (option: string, author: string | undefined): string | null =>
  author === undefined ? null : (recordedFolder(author) ?? fail(`${option} takes recorded:FOLDER`));
const readExaminedCases = (): AdversarialCase[] => {
  const exams = folderOf('--examiner', examiner);
  const challenges = folderOf('--challenger', challenger);
  try {
    return readRecordedCases({ exams, challenges }, folder);
  } catch (error) {
    return told(error);
  }
};
const all = isRecorded
  ? readExaminedCases()
  : folder !== undefined
    ? readBlindCases(folder, options.hidden)
    : model === undefined
      ? ADVERSARIAL_CORPUS
      : selectReviewCases();
const sample = whole('sample', options.sample);
const parallel = whole('parallel', options.parallel);
if (options.write && (folder !== undefined || only !== undefined || sample !== 1))
  fail('--write takes figures of the whole corpus only');
const corpus = all
  .filter((each) => only === undefined || `${each.class}: ${each.name}`.includes(only))
  .filter(({ name }) => isSampled(name, sample));
if (only !== undefined && corpus.length === 0) fail(`no case has "${only}" in its class or name`);

const relay = { record: options['record-prompts'], answers: options.answers };
const isRelayed = relay.record !== undefined || relay.answers !== undefined;
if (isRelayed && model === undefined) fail('--record-prompts and --answers are of --second-look');
const looker =
  model === undefined
    ? null
    : await createReviewModel(model, options.url, options.price, !isRelayed).catch(told);

const { stderr } = process;
const { cases, missing } = selectRunnableCases(corpus);
for (const each of missing)
  stderr.write(`NOT JUDGED: ${each.cases} cases need ${each.program}, which is not here\n`);
if (cases.length === 0) fail('no case can be judged here');
const progress = (done: number, of: number): void => {
  if (stderr.isTTY) stderr.write(done < of ? `\r${done} of ${of} judged` : '\r\x1b[K');
};
if (model !== undefined && looker !== null) {
  const report = await reviewPassedPatches({
    cases,
    model,
    reviewModel: isRelayed ? { ...looker, relay } : looker,
    parallel,
    onJudged: progress,
  }).catch(told);
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : renderReviewReport(report)}\n`);
  process.exit(0);
}
const judged = await judgeResumably(cases, {
  parallel,
  file: options.record ?? null,
  onJudged: progress,
});
if (isRecorded) {
  const examined = summarizeExaminerRun(judged);
  process.stdout.write(`${json ? JSON.stringify(examined, null, 2) : renderExaminerReport(examined)}\n`);
  process.exit(examined.missed.length + examined.held.length > 0 ? 1 : 0);
}
const report = summarizeCorpusRun(judged);
if (options.write)
  writeCorpusResults(
    join(import.meta.dirname, '../../docs/measurements/adversarial-evaluation.md'),
    renderCorpusResults(judged, ADVERSARIAL_CORPUS, new Date().toISOString().slice(0, 10)),
  );
process.stdout.write(`${json ? JSON.stringify(report, null, 2) : renderCorpusTable(report)}\n`);
process.exitCode = report.unexpected.length > 0 ? 1 : 0;
