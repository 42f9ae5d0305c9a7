import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseJudgeModelOptions } from '../../cli/judge-model-option.ts';
import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import type { JudgeModel } from '../../shared/contract/models/judge-models.ts';
import { sumUnlessUnknown } from '../../shared/contract/task/judging-cost.ts';
import {
  type ConfidenceInterval,
  computeWilsonInterval,
  Z_SCORE_95_PERCENT,
} from '../../shared/control/cascade/learning/intervals.ts';
import { createAskModel } from '../../shared/reviews/model-clients/ask-model.ts';
import {
  createQuestionRelay,
  type RelayFolders,
} from '../../shared/reviews/model-clients/relay-questions.ts';
import { decideRequirementsReview } from '../../shared/reviews/reviewers/requirements-review.ts';
import type { ObjectStore } from '../../shared/store/object-store.ts';
import type { TaskStore } from '../../shared/store/task-store.ts';
import { runAttemptReviewers } from '../../shared/use-cases/review/ask-judges.ts';
import { isAskedBy } from '../../test/support/asked-prompt.ts';
import * as build from '../../test/support/builders.ts';
import { startModelServer } from '../../test/support/models/model-server.ts';
import type { AdversarialCase } from './adversarial-case.ts';
import { readBlindCases } from './blind-cases.ts';
import { ADVERSARIAL_CORPUS } from './corpus.ts';
import { type PassedPatch, runCorpus } from './run-corpus.ts';

const UNSEEN = join(import.meta.dirname, 'unseen');

/** Of the corpus what runs are known to miss, and all that was written by those who knew nothing of the gates; each with its twin. */
export const selectReviewCases = (): AdversarialCase[] => [
  ...ADVERSARIAL_CORPUS.filter(
    ({ expectedCatch, known_miss }) => expectedCatch.how === 'noted' || known_miss !== undefined,
  ),
  ...readdirSync(UNSEEN, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .flatMap(({ name }) => readBlindCases(join(UNSEEN, name))),
];

/** What was said of work that had passed all that ran. */
export interface ReviewedPatch {
  readonly name: string;
  readonly honest: boolean;
  readonly held: boolean;
  readonly judgements: readonly Judgement[];
}

/** Who is asked; `close` ends what was started for it. */
export interface ReviewModel {
  readonly model: JudgeModel;
  readonly key: string;
  /** Set: no model is asked; questions are written and answers are read here. */
  readonly relay?: RelayFolders;
  readonly close: () => Promise<void>;
}

export const SCRIPTED_MODEL = 'scripted';

/**
 * No model: a script that doubts where a rule has left a note, and prefers what the patch expects. It speaks a real protocol, so that
 * what is shown is the way from evidence to verdict, and nothing about how well a model judges.
 */
async function scripted(): Promise<ReviewModel> {
  const server = await startModelServer({
    answer: ({ conversation }) => {
      if (isAskedBy('expectations', conversation))
        return { reasons: ['scripted'], answer: 'either', confidence: 1 };
      const isNoted = /<<<UNTRUSTED [0-9a-f]+ notes of rules/.test(conversation);
      if (isAskedBy('task_requirements', conversation)) return { requirements: ['the task'] };
      const answer = { number: 1, requirement: 'the task', reason: 'scripted', file: null, line: null };
      return {
        requirements: [{ ...answer, state: isNoted ? 'not_met' : 'met' }],
        concerns: [],
        confidence: 1,
      };
    },
  });
  const key = { via: 'environment', variable: 'NONE' } as const;
  const model = { provider: 'anthropic', model: SCRIPTED_MODEL, key, url: server.url } as const;
  return { model, key: 'none', close: () => server.stop() };
}

function named(
  text: string,
  url: string | undefined,
  price: string | undefined,
  needsKey: boolean,
): ReviewModel {
  const model = parseJudgeModelOptions({ model: text, url, price, needsKey }, { env: process.env });
  const variable = 'key' in model && model.key?.via === 'environment' ? model.key.variable : '';
  return { model, key: process.env[variable] ?? '', close: async () => {} };
}

/** Who looks: the model of that name, or the script. @throws CliError where it is no name of one */
export const createReviewModel = async (
  model: string,
  url: string | undefined,
  price: string | undefined,
  needsKey = true,
): Promise<ReviewModel> => (model === SCRIPTED_MODEL ? await scripted() : named(model, url, price, needsKey));

/** Asks as the janitor does, about evidence that was gathered just now. */
async function lookAt(
  { name, honest, task: about, patch, evidence, verdict }: PassedPatch,
  { model, key, relay }: ReviewModel,
): Promise<ReviewedPatch> {
  const task = build.taskInReview(
    {
      artifact: build.artifact({ patch_key: 'patch' }),
      verification: {
        ...{ key: 'evidence', tree: verdict.tree, base_commit: verdict.base_commit },
        ...{ protected_files: [], restored_file_count: 0, failed_checks: [], files_with_findings: [] },
        ...{ signals: [], gates: [], duration_ms: 1, at: build.FIXED_NOW.toISOString() },
      },
    },
    { title: about.title, description: about.description },
  );
  const judgements = await runAttemptReviewers(
    task.id,
    1,
    { requirements_review: decideRequirementsReview(task, evidence, verdict, true) },
    {
      tasks: { require: async () => task } as unknown as TaskStore,
      objects: {
        getByDigest: async (of: string) => (of === 'patch' ? patch : JSON.stringify(evidence)),
      } as unknown as ObjectStore,
      models: { requirements_review: model },
      readBreaker: async () => null,
      ask: relay ? createQuestionRelay(relay) : createAskModel({ readKey: async () => key }),
      now: () => new Date(),
    },
  );
  return { name, honest, held: judgements.some(({ verdict: word }) => word !== 'pass'), judgements };
}

interface Share {
  readonly of: number;
  readonly held: number;
  readonly share: number | null;
  /** Wilson's, at 95 %. */
  readonly interval: ConfidenceInterval;
}
const shareOf = (all: readonly ReviewedPatch[]): Share => {
  const held = all.filter((each) => each.held).length;
  return {
    of: all.length,
    held,
    share: all.length === 0 ? null : held / all.length,
    interval: computeWilsonInterval(held, all.length, Z_SCORE_95_PERCENT),
  };
};

export interface RequirementsReviewReport {
  readonly model: string;
  /** Set where no model was asked. */
  readonly scripted: boolean;
  /** Number of adversarial patches, and how many the gates held: no model was asked about those. */
  readonly cases: number;
  readonly held_by_runs: number;
  readonly caught: Share;
  readonly wrongly_held: Share;
  /** Adversarial patches that were held because no model answered, not because a model doubted them. */
  readonly unanswered: number;
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost_usd: number | null;
  readonly looked: readonly ReviewedPatch[];
}

export interface RequirementsReviewOptions {
  readonly cases: readonly AdversarialCase[];
  /** `PROVIDER:MODEL`, or `scripted`. */
  readonly model: string;
  /** Closed at the end. */
  readonly reviewModel: ReviewModel;
  readonly parallel: number;
  readonly onJudged: (done: number, of: number) => void;
}

/** Runs the gates on cases, and has a model look once more at what has passed. */
export async function reviewPassedPatches(
  options: RequirementsReviewOptions,
): Promise<RequirementsReviewReport> {
  const { cases, model, reviewModel, parallel, onJudged } = options;
  const looked: ReviewedPatch[] = [];
  try {
    const judged = await runCorpus(cases, parallel, onJudged, async (passed) => {
      looked.push(await lookAt(passed, reviewModel));
    });
    return summarizeReviews(
      model,
      judged.filter(({ honest, outcome }) => !honest && outcome === 'caught').length,
      cases.length,
      looked,
    );
  } finally {
    await reviewModel.close();
  }
}

export function summarizeReviews(
  model: string,
  heldByRuns: number,
  cases: number,
  looked: readonly ReviewedPatch[],
): RequirementsReviewReport {
  const all = looked.flatMap(({ judgements }) => judgements);
  const bad = looked.filter(({ honest }) => !honest);
  return {
    model,
    scripted: model === SCRIPTED_MODEL,
    cases,
    held_by_runs: heldByRuns,
    caught: shareOf(bad),
    wrongly_held: shareOf(looked.filter(({ honest }) => honest)),
    unanswered: bad.filter(({ judgements }) =>
      judgements.some(
        ({ verdict, outcome }) => verdict !== 'pass' && outcome !== 'failed' && outcome !== 'passed',
      ),
    ).length,
    calls: all.reduce((sum, { calls }) => sum + (calls ?? 0), 0),
    tokens: {
      input: all.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0),
      output: all.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0),
    },
    cost_usd: sumUnlessUnknown(all.map(({ calls, cost_usd }) => (calls === 0 ? 0 : cost_usd))),
    looked,
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const shown = ({ of, held, share, interval: { low, high } }: Share): string =>
  share === null
    ? 'none to look at'
    : `${held} of ${of}: ${percent(share)} (${percent(low)} to ${percent(high)})`;

/** The report for people. */
export const renderReviewReport = (report: RequirementsReviewReport): string =>
  [
    report.scripted
      ? 'scripted: no model was asked. What is shown is the way from evidence to verdict, and nothing of how well a model judges.'
      : `second look of ${report.model}`,
    `adversarial     ${report.cases}; the gates held ${report.held_by_runs}, and no model was asked about those`,
    `caught          ${shown(report.caught)}${report.unanswered === 0 ? '' : `, ${report.unanswered} of them because nobody answered`}`,
    `wrongly held    ${shown(report.wrongly_held)} of honest patches that had passed`,
    `asked           ${report.calls} times, ${report.tokens.input} tokens in, ${report.tokens.output} out, ${report.cost_usd === null ? 'cost not known' : `$${report.cost_usd.toFixed(4)}`}`,
    ...report.looked
      .filter(({ honest, held }) => honest === held)
      .map(({ honest, name, judgements }) => {
        const why = judgements.flatMap(({ verdict, reasons }) =>
          verdict === 'pass' ? [] : reasons.slice(0, 1),
        );
        return `${honest ? 'WRONGLY HELD' : 'MISSED'}: ${name}${why.length === 0 ? '' : `: ${why.join(' ').slice(0, 200)}`}`;
      }),
  ].join('\n');
