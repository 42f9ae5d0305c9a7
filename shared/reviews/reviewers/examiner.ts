import * as z from 'zod';
import { Exam, MAX_EXAM_POINTS } from '../../contract/exam.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { UnusableAnswerReason } from '../engine/missing-opinion.ts';
import type { ModelReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';

/** Seconds that the gates wait for the answer of an examiner. */
export const EXAMINER_TIMEOUT_SECONDS = 240;
const MAX_FILES = 20;

const ExaminerAnswer = z.strictObject({
  open: z.array(z.string()).max(50),
  questions: z.array(z.string()).max(20),
  points: z
    .array(
      z.strictObject({
        requirement: z.string().min(1),
        test: z.string().min(1),
        on_base: z.enum(['fails', 'passes']),
      }),
    )
    .max(MAX_EXAM_POINTS),
  files: z.array(z.strictObject({ path: z.string(), content: z.string() })).max(MAX_FILES),
  command: z.string().nullable(),
  keeps_behaviour: z.boolean(),
  confidence: z.number().min(0).max(1),
});
export type ExaminerAnswer = z.output<typeof ExaminerAnswer>;

/** One line, as the contract of exams wants it. */
const toLine = (text: string, max: number): string =>
  truncateText(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), max);
const toLines = (texts: readonly string[], max: number): string[] =>
  texts.map((text) => toLine(text, max)).filter((text) => text !== '');

/** Parses an answer into the contract of exams. Layout of its texts is normalised; what the contract refuses is no exam. */
export function examFromAnswer(answer: ExaminerAnswer): Exam | UnusableAnswerReason {
  const seen = new Set<string>();
  const points = answer.points
    .map((point) => ({
      requirement: toLine(point.requirement, 300),
      test: toLine(point.test, 500),
      on_base: point.on_base,
    }))
    .filter(({ test }) => !seen.has(test) && seen.add(test));
  const parsed = Exam.safeParse({
    command: points.length === 0 || answer.command === null ? null : toLine(answer.command, 1_000),
    points,
    open: toLines(answer.open, 500),
    questions: toLines(answer.questions, 500),
    confidence: answer.confidence,
    keeps_behaviour: answer.keeps_behaviour,
    files:
      points.length === 0
        ? []
        : answer.files.map(({ path, content }) => ({ path, content, encoding: 'utf8' })),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return {
    code: 'unreadable_answer',
    outcome: 'could_not_run',
    why: `the exam is no exam: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  };
}

/** Writes acceptance tests from the task and the base alone. It never sees a patch. */
export const EXAMINER_REVIEWER = {
  kind: 'examiner',
  purpose: 'examiner',
  family: 'other',
  prompt: JUDGE_PROMPTS.examiner,
  answerSchema: () => ExaminerAnswer,
  maxTokens: 16_000,
  maxInputTokens: 32_000,
  timeoutMs: () => EXAMINER_TIMEOUT_SECONDS * 1_000,
  shows: ['task', 'base', 'omitted'],
} satisfies ModelReviewer<typeof ExaminerAnswer, undefined>;
