import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatCount, formatDollars } from '../../shared/lib/format.ts';
import { type GoldenCase, readGoldenCases } from '../../shared/reviews/judging/golden-cases.ts';
import { renderReliabilityPlot } from '../../shared/reviews/judging/reliability-plot.ts';
import { createAskModel } from '../../shared/reviews/model-clients/ask-model.ts';
import { createQuestionRelay } from '../../shared/reviews/model-clients/relay-questions.ts';
import {
  CALIBRATED_JUDGE_QUESTIONS,
  type CalibrationReport,
  calibrateJudge,
} from '../../shared/reviews/reviewers/calibrate-judge.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { CommandIo } from '../io.ts';
import { parseJudgeModelOptions } from '../judge-model-option.ts';
import { defineLocalCommand } from '../local-command.ts';
import { renderTable } from '../output/table.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption } from '../parameters.ts';

/** Most problems of a file that are reported. */
const MAX_PROBLEMS = 20;
/** Most reasons for a missing answer that are shown. */
const MAX_REASONS = 3;
/** Number of progress notes. */
const PROGRESS_NOTES = 10;

function readGoldenSet(file: string, io: CommandIo): GoldenCase[] {
  const badFile = (details: readonly { where: string; message: string }[]): CliError =>
    new CliError(CLI_EXIT_CODES.usage, 'bad_golden', `${file} is not a golden set.`, {
      details,
      hint: 'docs/how-to/judges.md describes the format; docs/examples/golden.jsonl is an example.',
    });
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw badFile([{ where: file, message: error instanceof Error ? error.message : String(error) }]);
  }
  const read = readGoldenCases(text);
  if (!('problems' in read)) return read;
  throw badFile(
    read.problems.slice(0, MAX_PROBLEMS).map(({ line, message }) => ({ where: `${file}:${line}`, message })),
  );
}

const percent = (share: number | null): string =>
  share === null ? 'unknown' : `${(share * 100).toFixed(1)} %`;
const twoDecimals = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

function renderCalibration(of: CalibrationReport): string {
  const { kappa, variance } = of;
  const facts = [
    ['calibration', of.id],
    ['judge', `${of.provider}:${of.model}, ${of.rubric} (prompt ${of.prompt_sha256.slice(0, 12)})`],
    [
      'cases',
      `${of.cases}, each asked ${formatCount(of.repeats, 'time')}: ${of.answers} answers, ${of.unanswered} unanswered`,
    ],
    ...of.unanswered_reasons
      .slice(0, MAX_REASONS)
      .map(({ reason, count }) => ['no answer', `${formatCount(count, 'time')}: ${toOneLine(reason)}`]),
    ['agreement', percent(of.agreement)],
    [
      'kappa',
      kappa === null
        ? 'undefined: all answers are the same'
        : `${twoDecimals(kappa.value)} (95 %: ${twoDecimals(kappa.low)} to ${twoDecimals(kappa.high)})`,
    ],
    ['bad caught', percent(of.caught)],
    ['good held', percent(of.held_wrongly)],
    [
      'repeats',
      variance === null
        ? 'each case was asked once'
        : `${percent(variance.split)} of the cases have both answers; variance of the answer ${variance.word.toFixed(3)}, of the confidence ${variance.confidence?.toFixed(4) ?? 'unknown'}`,
    ],
    [
      'confidence',
      of.calibration_error === null
        ? 'not reported'
        : `off by ${twoDecimals(of.calibration_error)} on average`,
    ],
    [
      'cost',
      `${formatDollars(of.cost_usd)}, ${formatDollars(of.cost_per_case_usd)} per case (${of.tokens.input} tokens in, ${of.tokens.output} out)`,
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
      twoDecimals(confidence),
      twoDecimals(right),
    ]),
    undefined,
  );
  return `${facts.join('\n')}\n\n${table}\n\nFor the model in \`judges\`:\n  calibrations: [{ id: ${of.id}, prompt: ${of.prompt_sha256} }]`;
}

/** `judge calibrate`: measures a judge model. */
export const judgeCommand = defineLocalCommand({
  name: 'judge calibrate',
  description: 'Measure a judge model on labelled work; the model is called from this machine',
  arguments: { golden: defineArgument('<golden>', 'JSONL file of work that is labelled good or bad') },
  options: {
    model: defineOption('--model <provider:model>', 'the model, for example anthropic:claude-sonnet-5-5', {
      required: true,
    }),
    modelUrl: defineOption(
      '--model-url <url>',
      'address of the model provider, for example of your own gateway (global --url is the Assay API)',
    ),
    price: defineOption(
      '--price <input,output>',
      'dollars per million tokens, for a model that the price table does not have',
    ),
    rubric: defineOption('--rubric <rubric>', 'the question', {
      choices: CALIBRATED_JUDGE_QUESTIONS,
      default: 'requirements_review',
    }),
    repeats: defineOption('--repeats <number>', 'how often each case is asked', {
      parse: createIntegerParser(),
      default: 3,
    }),
    concurrency: defineOption('--concurrency <number>', 'questions at a time', {
      parse: createIntegerParser(1, 32),
      default: 4,
    }),
    timeout: defineOption('--timeout <seconds>', 'time for one answer', {
      parse: createIntegerParser(5, 600),
      default: 90,
    }),
    recordPrompts: defineOption(
      '--record-prompts <folder>',
      'ask no model; write each question once, as DIGEST.question.json',
    ),
    answers: defineOption('--answers <folder>', 'ask no model; read the answers by digest, from DIGEST.json'),
    plot: defineOption('--plot <file>', 'write a plot of confidence against truth, as SVG'),
  },
  json: {
    text: '`--json` prints the measurement. Null is unknown: `kappa` where all answers are the same, `cost_usd` where a price is unknown.',
    example:
      '{"id": "cal-0123456789ab", "provider": "anthropic", "model": "claude-sonnet-5-5", "rubric": "requirements_review", "prompt_sha256": "…", "golden_sha256": "…", "repeats": 3, "cases": 110, "answers": 330, "unanswered": 0, "agreement": 0.9, "kappa": {"value": 0.8, "low": 0.69, "high": 0.91}, "caught": 0.85, "held_wrongly": 0.05, "variance": {"split": 0.1, "word": 0.02, "confidence": 0.003}, "reliability": [{"from": 0.9, "to": 1, "answers": 200, "confidence": 0.93, "right": 0.95}], "calibration_error": 0.04, "tokens": {"input": 400000, "output": 30000}, "cost_usd": 1.65, "cost_per_case_usd": 0.015, "unanswered_reasons": [], "wrong": [{"id": "…", "truth": "bad", "said": ["good", "bad", "bad"]}]}',
  },
  examples: [
    [
      'judge calibrate docs/examples/golden.jsonl --model anthropic:claude-sonnet-5-5',
      'the default question',
    ],
    ['judge calibrate mine.jsonl --model openai:gpt-5.5 --rubric llm_judge --plot judge.svg', 'with a plot'],
  ],
  run: async (
    session,
    {
      golden,
      model: text,
      modelUrl,
      price,
      rubric,
      repeats,
      concurrency,
      timeout,
      recordPrompts,
      answers,
      plot,
    },
  ) => {
    const { io } = session;
    const cases = readGoldenSet(golden, io);
    const needsKey = recordPrompts === undefined && answers === undefined;
    const model = parseJudgeModelOptions({ model: text, url: modelUrl, price, needsKey }, io);
    session.note(`${formatCount(cases.length, 'case')}, each asked ${formatCount(repeats, 'time')}.`);
    const result = await calibrateJudge(cases, {
      model: { ...model, limits: { ...model.limits, timeout_s: timeout } },
      question: rubric,
      repeats,
      concurrency,
      onAnswer: (done, all) => {
        if (done % Math.ceil(all / PROGRESS_NOTES) === 0 || done === all)
          session.note(`${done} of ${formatCount(all, 'answer')}`);
      },
      ask: needsKey
        ? createAskModel({
            readKey: async (key) => (key.via === 'environment' ? (io.env[key.variable] ?? null) : null),
          })
        : createQuestionRelay({
            record: recordPrompts && resolve(io.cwd, recordPrompts),
            answers: answers && resolve(io.cwd, answers),
          }),
      now: new Date(),
    });
    if (plot !== undefined)
      writeFileSync(
        resolve(io.cwd, plot),
        renderReliabilityPlot(result, `${result.model}, ${result.rubric}`),
      );
    session.show(result, () => renderCalibration(result));
    return result.answers === 0 ? CLI_EXIT_CODES.failed : CLI_EXIT_CODES.ok;
  },
});
