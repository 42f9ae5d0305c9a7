import * as z from 'zod';
import { Exam, type ExamPointOutcome } from '../../../shared/contract/exam.ts';
import { truncateToBytes } from '../../../shared/lib/truncate.ts';
import { chooseReviewerModels } from '../../../shared/reviews/engine/choose-models.ts';
import { askModelAsReviewer, type ModelCallReceipt } from '../../../shared/reviews/engine/engine.ts';
import {
  describeMissingOpinion,
  determineNoOpinionOutcome,
  type MissingOpinionReason,
} from '../../../shared/reviews/engine/missing-opinion.ts';
import type { ReviewPiece } from '../../../shared/reviews/engine/review-piece.ts';
import { ADJUDICATOR_REVIEWER, decideAdjudication } from '../../../shared/reviews/reviewers/adjudicator.ts';
import { EXAMINER_REVIEWER, examFromAnswer } from '../../../shared/reviews/reviewers/examiner.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { MAX_CACHE_ENTRY_BYTES } from '../../core/cache-limits.ts';
import type { Judge } from '../../core/judge.ts';
import { computeCacheEntryKey, type PersistentCache } from '../../core/persistent-cache.ts';
import type { IndependentTests, IndependentTestsFacts } from './independent-tests.ts';
import type { ExamAdjudicator, PrivateFailure } from './run-exam.ts';
import { selectBaseFiles } from './select-base-files.ts';
import { findExamDefect } from './validate-on-base.ts';

/** Most characters of a task's text, of the test files, of a failure and of a diff that a model is shown. */
const MAX_TASK_CHARS = 20_000;
const MAX_TEST_CHARS = 16_000;
const MAX_FAILURE_CHARS = 4_000;
/** Most failing tests that are adjudicated. Of the others, points stay as they are, and counterexamples do not count. */
const MAX_ADJUDICATED = 10;

/** The task as an examiner sees it. */
export interface ExaminedTask {
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly files: readonly string[];
  /** The model that wrote the patch; null: unknown, or no model. */
  readonly writer: string | null;
}

export interface ExaminerContext {
  readonly store: GitStore;
  readonly base: string;
  readonly task: ExaminedTask;
  readonly judge: Judge;
  /** Keeps the exam for later attempts, fix-ups and retries of the task; null: nothing is kept. */
  readonly memory: PersistentCache | null;
  /** Reads the diff of the patch for the adjudicator. */
  readonly readDiff: () => Promise<string>;
}

const taskPieces = ({ title, description, acceptanceCriteria }: ExaminedTask): ReviewPiece[] => [
  { kind: 'task', label: 'title of the task', text: title },
  { kind: 'task', label: 'description of the task', text: truncateToBytes(description, MAX_TASK_CHARS) },
  ...(acceptanceCriteria.length === 0
    ? []
    : [
        {
          kind: 'task' as const,
          label: 'acceptance criteria of the task',
          text: truncateToBytes(acceptanceCriteria.join('\n'), MAX_TASK_CHARS),
        },
      ]),
];

const toFacts = (
  { model, family, prompt, calls, tokens, cost_usd, duration_ms }: ModelCallReceipt,
  injections: number,
): IndependentTestsFacts => ({
  tool: 'model',
  tool_version: model,
  family,
  prompt: prompt?.id ?? null,
  prompt_version: prompt?.version ?? null,
  prompt_sha256: prompt?.sha256 ?? null,
  calls,
  input_tokens: tokens?.input ?? null,
  output_tokens: tokens?.output ?? null,
  cost_usd,
  examiner_ms: duration_ms,
  exam_reused: false,
  injections,
});

/** Numbers of a call that a reused exam did not cost again. */
const REUSED = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  examiner_ms: 0,
  exam_reused: true,
};

const StoredExam = z.object({ exam: Exam, facts: z.record(z.string(), z.unknown()) });

/** Explains the absence of an exam. `wasAsked`: a model should have answered, so nothing shows that the task was done. */
const withoutExam = (absence: MissingOpinionReason, facts: IndependentTestsFacts = {}): IndependentTests => ({
  exam: null,
  counterexamples: [],
  facts,
  missing: {
    outcome: determineNoOpinionOutcome(absence),
    // What cannot be read may quote the answer, and with it the tests.
    why: `no acceptance tests: ${
      absence.code === 'unreadable_answer'
        ? "the examiner's answer cannot be read"
        : describeMissingOpinion(absence)
    }`,
    wasAsked: ['no_answer', 'unreadable_answer', 'declined'].includes(absence.code),
  },
});

/**
 * Returns the exam of a task and base: the one that an earlier attempt left, or that of a model. The model sees the task and the
 * base, and never the patch. Null: no examiner is configured.
 */
export async function obtainExam(context: ExaminerContext): Promise<IndependentTests | null> {
  const { store, base, task, judge, memory } = context;
  if (!judge.models.examiner) return null;
  const { writer } = task;
  const chosen = chooseReviewerModels(EXAMINER_REVIEWER, {
    models: judge.models,
    writer,
    budgetRefusal: null,
  });
  if ('absence' in chosen) return withoutExam(chosen.absence);
  const [model] = chosen.models;
  const pieces = taskPieces(task);
  // Attempts of other writers may ask another model; an exam counts for all of them, so the model is no part of the key.
  const key = computeCacheEntryKey('exams', {
    base,
    task: pieces.map(({ label, text }) => [label, text]),
    files: task.files,
    prompt: EXAMINER_REVIEWER.prompt.sha256,
  });
  const adjudicate = createAdjudicator(context, pieces);
  const tests = { counterexamples: [], adjudicate };
  const stored = StoredExam.safeParse(await memory?.get(key));
  if (stored.success) {
    const facts = stored.data.facts as IndependentTestsFacts;
    return { ...tests, exam: stored.data.exam, facts: { ...facts, ...REUSED } };
  }
  const material = {
    pieces: [...pieces, ...(await selectBaseFiles(store, base, { text: taskText(task), files: task.files }))],
  };
  const reply = await askModelAsReviewer(EXAMINER_REVIEWER, undefined, material, model, {
    ask: judge.ask,
    now: () => new Date(),
  });
  const facts = toFacts(reply.receipt, reply.injections.length);
  if ('absence' in reply) return withoutExam(reply.absence, facts);
  const exam = examFromAnswer(reply.answer);
  if ('code' in exam) return withoutExam(exam, facts);
  return {
    ...tests,
    exam,
    facts,
    // An exam that says nothing of any patch is not kept: the next attempt asks again.
    onValidated: async (onBase) => {
      if (findExamDefect(exam, onBase) === null) await memory?.put(key, { exam, facts });
    },
  };
}

/** Most counterexamples of a task that are kept. */
const MAX_EARLIER = 20;
/** Room in an entry of the memory for what surrounds them. */
const MARGIN_BYTES = 1_024;
const StoredCounterexamples = z.object({ exams: z.array(Exam).max(MAX_EARLIER) });

type CounterexampleContext = Pick<ExaminerContext, 'base' | 'task' | 'memory'>;

const counterexamplesKey = ({ base, task }: CounterexampleContext) =>
  computeCacheEntryKey('counterexamples', {
    task: taskPieces(task).map(({ label, text }) => [label, text]),
    base,
  });

/** Returns the counterexamples that held against earlier attempts of a task on this base. */
export async function readEarlierCounterexamples(context: CounterexampleContext): Promise<readonly Exam[]> {
  const stored = StoredCounterexamples.safeParse(await context.memory?.get(counterexamplesKey(context)));
  return stored.success ? stored.data.exams : [];
}

/** Adds counterexamples that hold to those that later attempts have to pass. */
export async function keepCounterexamples(
  context: CounterexampleContext,
  exams: readonly Exam[],
): Promise<void> {
  if (exams.length === 0) return;
  await context.memory?.update(counterexamplesKey(context), (value) => {
    const stored = StoredCounterexamples.safeParse(value);
    const known = new Set((stored.success ? stored.data.exams : []).map((each) => JSON.stringify(each)));
    for (const each of exams) known.add(JSON.stringify(each));
    const kept = [...known].slice(-MAX_EARLIER);
    // A memory keeps nothing of a value that is too large, so the oldest make room.
    while (Buffer.byteLength(kept.join(',')) > MAX_CACHE_ENTRY_BYTES - MARGIN_BYTES) kept.shift();
    return { exams: kept.map((each) => JSON.parse(each)) };
  });
}

/**
 * Returns all tests that were written without the author of the patch: the exam, and counterexamples of earlier attempts. Null:
 * neither exists.
 */
export async function obtainIndependentTests(context: ExaminerContext): Promise<IndependentTests | null> {
  const [exam, earlier] = await Promise.all([obtainExam(context), readEarlierCounterexamples(context)]);
  if (earlier.length === 0) return exam;
  return { ...(exam ?? { exam: null, counterexamples: [] }), earlier };
}

/**
 * Returns an exam that was submitted with the task, and counterexamples of earlier attempts. Nobody adjudicates its points: who submits
 * a task decides what the task demands.
 */
export async function obtainSubmittedTests(
  exam: Exam,
  context: CounterexampleContext,
  adjudicateNeighbours: ExamAdjudicator | null,
): Promise<IndependentTests> {
  const earlier = await readEarlierCounterexamples(context);
  return {
    ...{ exam, counterexamples: [], facts: { exam_submitted: true } },
    ...(earlier.length > 0 && { earlier, adjudicateNeighbours }),
  };
}

const taskText = ({ title, description, acceptanceCriteria }: ExaminedTask): string =>
  [title, description, ...acceptanceCriteria].join('\n');

const describeFiles = (files: PrivateFailure['files']): string =>
  truncateToBytes(
    files.map(({ path, content }) => `${path}\n${Buffer.from(content).toString('utf8')}`).join('\n\n'),
    MAX_TEST_CHARS,
  );

/** Returns the adjudicator of failing tests, or null where no model is configured for it. */
export function createAdjudicator(
  { judge, task, readDiff }: Pick<ExaminerContext, 'judge' | 'task' | 'readDiff'>,
  taskMaterial: readonly ReviewPiece[] = taskPieces(task),
): ExamAdjudicator | null {
  const model = judge.models.adjudicator;
  if (!model) return null;
  return async (kind, failures) => {
    const diff = await readDiff();
    const decide = async ({ index, requirement, test, failure, files }: PrivateFailure) => {
      const ask = async (isChangeFirst: boolean) => {
        const reply = await askModelAsReviewer(
          ADJUDICATOR_REVIEWER,
          {
            ...{ requirement, test, isChangeFirst, diff, files: describeFiles(files) },
            failure: truncateToBytes(failure ?? '(no message)', MAX_FAILURE_CHARS),
          },
          { pieces: taskMaterial },
          model,
          { ask: judge.ask, now: () => new Date() },
        );
        return 'answer' in reply && reply.injections.length === 0 ? reply.answer : null;
      };
      // A counterexample compares the patch with the base or the task; a preference that follows the order is none.
      const answers = await Promise.all((kind === 'counterexample' ? [false, true] : [false]).map(ask));
      return [index, decideAdjudication(answers, taskText(task))] as const;
    };
    const undecided = kind === 'counterexample' ? failures.slice(MAX_ADJUDICATED) : [];
    return new Map<number, ExamPointOutcome>([
      ...(await Promise.all(failures.slice(0, MAX_ADJUDICATED).map(decide))),
      ...undecided.map(({ index }) => [index, { outcome: 'not_run', reason: 'cannot_tell' }] as const),
    ]);
  };
}
