import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStaticSignals } from '../../gates/pipeline/run-signals.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { usageCostUsd } from '../../shared/contract/models/model-prices.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { buildReviewerQuestion } from '../../shared/reviews/engine/engine.ts';
import { excerptDiffsEvenly, splitDiffByFile } from '../../shared/reviews/judging/diff-excerpt.ts';
import {
  type GoldenCase,
  goldenCasePieces,
  readGoldenCases,
} from '../../shared/reviews/judging/golden-cases.ts';
import { REQUIREMENTS_REVIEWER } from '../../shared/reviews/reviewers/requirements-review.ts';
import { SIGNAL_REVIEWERS } from '../../shared/reviews/reviewers/signal-reviewers.ts';
import type { ObjectStore } from '../../shared/store/object-store.ts';
import type { TaskStore } from '../../shared/store/task-store.ts';
import {
  combineVerdictWithJudgements,
  reduceEvidenceToVerdict,
} from '../../shared/use-cases/review/janitor-steps.ts';
import {
  evidence,
  FIXED_NOW,
  gate,
  signal,
  taskInReview,
  verification,
} from '../../test/support/builders.ts';
import { createTemporaryFolder } from '../../test/support/git-repository.ts';
import {
  benchJudgingFunction,
  type JudgingFunctionResult,
  renderJudgingFunctionSections,
} from './judging-function.ts';
import type { ResultSection } from './result-page.ts';
import { median, percentile } from './statistics.ts';

const ROUNDS = 1_000;
const FILES = 20_000;
const PER_FOLDER = 100;
const SIGNALS = 10_000;
/** The most that a task may have. */
const GLOBS = 100;
/** Characters to a token, roughly, and tokens of an answer: what a real model makes of it, its provider counts. */
const CHARACTERS = 4;
const ANSWER = 150;
const GOLDEN = join(import.meta.dirname, '../../docs/examples/golden.jsonl');

export interface JudgingResult {
  readonly janitor: { readonly rounds: number; readonly p50_ms: number; readonly p99_ms: number };
  readonly signals: {
    readonly files: number;
    readonly signals: number;
    readonly ms: number;
    readonly globs: number;
    readonly globs_ms: number;
  };
  readonly judge: JudgingFunctionResult;
  readonly prices: readonly {
    readonly judgement: string;
    readonly model: string;
    readonly input: number;
    readonly output: number;
    readonly usd: number | null;
  }[];
}

/** The janitor's two steps on an attempt with the evidence of 30 gates, without the table and the bucket. */
async function janitorTimes(): Promise<number[]> {
  const finding = {
    file: 'src/a.ts',
    line: 3,
    rule: 'rule',
    message: 'a message of usual length about a line',
  };
  const text = JSON.stringify(
    evidence({
      signals: Array.from({ length: 10 }, () => signal()),
      gates: Array.from({ length: 30 }, (_, index) =>
        gate({ name: `gate-${index}`, findings: Array.from({ length: 20 }, () => finding) }),
      ),
    }),
  );
  const task = taskInReview({ verification: verification() });
  const tasks = {
    require: async () => task,
    applyCommand: async (_: string, command: (of: Task) => unknown) => command(task),
    apply: async (_: Task, command: (of: Task) => unknown) => ({ task, changed: command(task) !== null }),
  } as unknown as TaskStore;
  const objects = { getByDigest: async () => text } as unknown as ObjectStore;
  const of = { task_id: task.id, run: task.run, attempt: 1, execution_id: 'bench', is_retry: false };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const { verdict, requirements_review: look } = await reduceEvidenceToVerdict(of, {
      tasks,
      objects,
      models: {},
      now: FIXED_NOW,
    });
    const accepted = {
      recordPassed: async () => {},
      recordChallenged: async () => {},
      getChallenged: async () => null,
    };
    const deps = { tasks, accepted, now: FIXED_NOW };
    await combineVerdictWithJudgements(of, { verdict, judgements: [], requirements_review: look }, deps);
    times.push(performance.now() - began);
  }
  return times;
}

const pathOf = (file: number): string => `d${Math.floor(file / PER_FOLDER)}/f${file}.txt`;

/** Milliseconds to look at signals that all hold. */
async function passedIn(root: string, signals: readonly CompletionSignal[]): Promise<number> {
  const began = performance.now();
  const seen = await checkStaticSignals(root, signals);
  const took = performance.now() - began;
  const passed = [...seen.values()].filter(({ outcome }) => outcome === 'passed').length;
  if (passed !== signals.length) throw new Error(`${passed} of ${signals.length} signals have passed`);
  return took;
}

/** Half of the signals ask whether a file is there, half what is in one; then as many patterns as a task may have, each of the last file. */
async function signalTimes(): Promise<{ readonly ms: number; readonly globs_ms: number }> {
  const root = realpathSync(createTemporaryFolder('assay-signals-'));
  for (let folder = 0; folder < FILES / PER_FOLDER; folder++) mkdirSync(join(root, `d${folder}`));
  for (let file = 0; file < FILES; file++)
    writeFileSync(join(root, pathOf(file)), `line\nfile ${file} holds this\n`);
  const signals = Array.from({ length: SIGNALS }, (_, index): CompletionSignal => {
    const path = pathOf((index * 7) % FILES);
    return index % 2 === 0
      ? { type: 'path_exists', path }
      : { type: 'file_contains', path, contains: 'holds this' };
  });
  const globs = Array.from(
    { length: GLOBS },
    (_, index): CompletionSignal => ({
      type: 'glob_exists',
      pattern: `**/f${FILES - 1 - index * PER_FOLDER}.txt`,
    }),
  );
  return { ms: await passedIn(root, signals), globs_ms: await passedIn(root, globs) };
}

const QUESTIONS = {
  requirements_review: (of: GoldenCase, diff: string) =>
    buildReviewerQuestion(REQUIREMENTS_REVIEWER, { because: '' }, { pieces: goldenCasePieces(of, diff) }),
  llm_judge: (of: GoldenCase, diff: string) =>
    buildReviewerQuestion(
      SIGNAL_REVIEWERS.llm_judge,
      { signal: { type: 'llm_judge', criteria: of.criteria, on_error: 'hold' } },
      { pieces: goldenCasePieces(of, diff) },
    ),
  llm_review: (of: GoldenCase, diff: string) =>
    buildReviewerQuestion(
      SIGNAL_REVIEWERS.llm_review,
      { signal: { type: 'llm_review', instructions: of.criteria, on_error: 'hold' } },
      { pieces: goldenCasePieces(of, diff) },
    ),
};

/** What one answer about a case of the golden set would cost, by the price table; tokens are reckoned from characters. */
function prices(): JudgingResult['prices'] {
  const golden = readGoldenCases(readFileSync(GOLDEN, 'utf8'));
  if ('problems' in golden) throw new Error('the golden set cannot be read');
  return Object.entries(QUESTIONS).flatMap(([judgement, question]) => {
    const characters = golden.map((of) => {
      const { prompt, fencedText } = question(of, excerptDiffsEvenly(splitDiffByFile(of.diff), 10_000).text);
      return prompt.text.length + fencedText.length;
    });
    const input = Math.ceil(median(characters) / CHARACTERS);
    const usage = { input_tokens: input, output_tokens: ANSWER, cache_read_tokens: 0, cache_write_tokens: 0 };
    return Object.values(DEFAULT_TIER_MODELS).map((model) => ({
      judgement,
      model,
      input,
      output: ANSWER,
      usd: usageCostUsd(model, usage, FIXED_NOW.toISOString()),
    }));
  });
}

export async function benchJudging(say: (line: string) => void): Promise<JudgingResult> {
  say('the janitor without models');
  const times = await janitorTimes();
  say(`${SIGNALS} signals on ${FILES} files`);
  const looked = await signalTimes();
  say('the function that judges, and the others');
  const judge = await benchJudgingFunction();
  return {
    judge,
    janitor: { rounds: ROUNDS, p50_ms: median(times), p99_ms: percentile(times, 0.99) },
    signals: { files: FILES, signals: SIGNALS, globs: GLOBS, ...looked },
    prices: prices(),
  };
}

export const renderJudgingSections = ({
  janitor,
  signals,
  judge,
  prices: all,
}: JudgingResult): ResultSection[] => [
  [
    'The janitor without models, and signals that look at files',
    [
      ['what', 'p50', 'p99'],
      [
        `reduce and combine, 30 gates with 600 findings, ${janitor.rounds} times, without table and bucket`,
        `${janitor.p50_ms.toFixed(2)} ms`,
        `${janitor.p99_ms.toFixed(2)} ms`,
      ],
      [
        `${signals.signals} path and content signals on ${signals.files} files, each file by its path: nothing is walked`,
        `${Math.round(signals.ms)} ms`,
        '',
      ],
      [`${signals.globs} patterns on the same files, one walk`, `${Math.round(signals.globs_ms)} ms`, ''],
    ],
  ],
  ...renderJudgingFunctionSections(judge),
  [
    `One answer about a case of the golden set (median), reckoned at ${CHARACTERS} characters to a token`,
    [
      ['judgement', 'model', 'tokens in', 'tokens out', 'dollars'],
      ...all.map(({ judgement, model, input, output, usd }) => [
        judgement,
        model,
        String(input),
        String(output),
        usd === null ? 'not known' : usd.toFixed(5),
      ]),
    ],
  ],
];
