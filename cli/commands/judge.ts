import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { count, dollars } from '../../shared/lib/format.ts';
import { type Calibrated, calibrate, RUBRICS, type Rubric } from '../../shared/reviews/judging/calibrate.ts';
import { type GoldenCase, readGolden } from '../../shared/reviews/judging/golden.ts';
import { reliabilityPlot } from '../../shared/reviews/judging/reliability-plot.ts';
import { askModel } from '../../shared/reviews/model-clients/ask.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { namedModel } from '../named-model.ts';
import { renderTable } from '../output/table.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

interface Options {
  readonly model: string;
  readonly url?: string;
  readonly price?: string;
  readonly rubric: Rubric;
  readonly repeats: number;
  readonly plot?: string;
}

/** Most problems of a file that are shown. */
const SHOWN = 20;

function goldenOf(file: string, io: Io): GoldenCase[] {
  const refused = (details: readonly { where: string; message: string }[]): CliError =>
    new CliError(EXIT.usage, 'bad_golden', `${file} is no golden set.`, {
      details,
      hint: 'docs/judges.md says what a line has; docs/examples/golden.jsonl is one.',
    });
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw refused([{ where: file, message: error instanceof Error ? error.message : String(error) }]);
  }
  const read = readGolden(text);
  if (!('problems' in read)) return read;
  throw refused(
    read.problems.slice(0, SHOWN).map(({ line, message }) => ({ where: `${file}:${line}`, message })),
  );
}

const percent = (share: number | null): string =>
  share === null ? 'not known' : `${(share * 100).toFixed(1)} %`;
const two = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

/** The measurement as a page of text. */
function page(of: Calibrated): string {
  const { kappa, variance } = of;
  const facts = [
    ['calibration', of.id],
    ['judge', `${of.provider}:${of.model}, ${of.rubric} (prompt ${of.prompt_sha256.slice(0, 12)})`],
    [
      'cases',
      `${of.cases}, asked about ${count(of.repeats, 'time')} each: ${of.answers} answers, ${of.unanswered} without one`,
    ],
    ['agreement', percent(of.agreement)],
    [
      'kappa',
      kappa === null
        ? 'cannot be told: all answers are the same'
        : `${two(kappa.value)} (95 %: ${two(kappa.low)} to ${two(kappa.high)})`,
    ],
    ['bad caught', percent(of.caught)],
    ['good held', percent(of.held_wrongly)],
    [
      'repeats',
      variance === null
        ? 'not asked twice'
        : `${percent(variance.split)} of the cases have both words; variance ${variance.word.toFixed(3)}, of the confidence ${variance.confidence?.toFixed(4) ?? 'not known'}`,
    ],
    [
      'confidence',
      of.calibration_error === null ? 'not asked for' : `off by ${two(of.calibration_error)} on average`,
    ],
    [
      'cost',
      `${dollars(of.cost_usd)}, ${dollars(of.cost_per_answer_usd)} for an answer (${of.tokens.input} tokens in, ${of.tokens.output} out)`,
    ],
  ].map(([name = '', fact = '']) => `${name.padEnd(12)}${fact}`);
  const table = renderTable(
    [
      { title: 'CONFIDENCE' },
      { title: 'ANSWERS', align: 'right' },
      { title: 'MEAN', align: 'right' },
      { title: 'RIGHT', align: 'right' },
    ],
    of.reliability.map(({ from, to, answers, confidence, right }) => [
      `${from} to ${to}`,
      String(answers),
      two(confidence),
      two(right),
    ]),
    undefined,
  );
  return `${facts.join('\n')}\n\n${table}\n\nFor the model in \`judges\`:\n  calibrations: [{ id: ${of.id}, prompt: ${of.prompt_sha256} }]`;
}

/** `assay judge calibrate GOLDEN.jsonl` */
export function registerJudge(program: Command, io: Io): void {
  const judge = program.command('judge').description(SUMMARY.judge);
  const command = judge
    .command('calibrate')
    .argument('<golden>', 'JSONL file of work of which it is known whether it is good')
    .description(
      'Measure a model against work of which it is known whether it is good; it is asked from here',
    )
    .requiredOption('--model <provider:model>', 'who is asked, for example anthropic:claude-sonnet-5-5')
    .option('--url <url>', 'where the provider is reached')
    .option(
      '--price <input,output>',
      'dollars per million tokens, where the price table does not know the model',
    )
    .addOption(new Option('--rubric <rubric>', 'which question').choices(RUBRICS).default('second_look'))
    .option('--repeats <number>', 'how often each case is asked about', wholeNumber, 3)
    .option('--plot <file>', 'write confidence against truth as SVG')
    .option(...JSON_OPTION);
  localAction<[string, Options]>(command, io, async (session, file, options) => {
    const cases = goldenOf(file, io);
    const model = namedModel(options, io);
    session.note(`${cases.length} cases, each asked about ${options.repeats} times.`);
    const result = await calibrate(cases, {
      model,
      rubric: options.rubric,
      repeats: options.repeats,
      ask: askModel({
        readKey: async (key) => (key.via === 'environment' ? (io.env[key.variable] ?? null) : null),
      }),
      now: new Date(),
    });
    if (options.plot !== undefined)
      writeFileSync(
        resolve(io.cwd, options.plot),
        reliabilityPlot(result, `${result.model}, ${result.rubric}`),
      );
    if (session.json) session.printJson(result);
    else session.print(page(result));
    return result.answers === 0 ? EXIT.failed : EXIT.ok;
  });
  examples(command, [
    ['judge calibrate docs/examples/golden.jsonl --model anthropic:claude-sonnet-5-5', 'the second look'],
    ['judge calibrate mine.jsonl --model openai:gpt-5.5 --rubric llm_judge --plot judge.svg', 'with a plot'],
  ]);
}
