import * as z from 'zod';
import { HiddenTestFile, MAX_HIDDEN_TEST_FILES, refuseUnusableFiles } from './submission/hidden-tests.ts';
import { CheckoutPath } from './submission/signals.ts';

/** Most points of an exam, and most counterexamples of a challenge. */
export const MAX_EXAM_POINTS = 100;
export const MAX_COUNTEREXAMPLES = 20;
/** Least number of neighbours of a counterexample: close inputs that have to fail with it. */
export const MIN_NEIGHBOURS = 2;

/** One line of text without control characters: it is shown to people and to the next attempt. */
const Line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line without control characters');

const Command = Line(1_000).describe('One command that runs the tests from the top of the checkout.');
const Probability = z.number().min(0).max(1);
/** Identifies a test by its name as the runner reports it, or by the end of that name. */
const TestId = Line(500);
const RequirementText = Line(300).describe("The requirement in the task's words.");
const Files = z.array(HiddenTestFile).max(MAX_HIDDEN_TEST_FILES).superRefine(refuseUnusableFiles);

/** One test of an exam: the requirement that it tests, and what it does on the base. */
export const ExamPoint = z.object({
  requirement: RequirementText,
  test: TestId,
  on_base: z.enum(['fails', 'passes']),
});
export type ExamPoint = z.infer<typeof ExamPoint>;

const manifestFields = {
  /** Null: the task is too vague to test, and `questions` say what would make it testable. */
  command: Command.nullable().default(null),
  points: z.array(ExamPoint).max(MAX_EXAM_POINTS).default([]),
  /** What the task leaves open. */
  open: z.array(Line(500)).max(50).default([]),
  /** Questions to the requester that would make the task testable. */
  questions: z.array(Line(500)).max(20).default([]),
  confidence: Probability,
  /** The task asks for the same behaviour as before, as a refactoring does: no point has to fail on the base. */
  keeps_behaviour: z.boolean().default(false),
};

/** Points need a command and have to name different tests; an exam without points has to ask questions. */
function refuseContradictions(
  {
    command,
    points,
    questions,
  }: Pick<z.infer<z.ZodObject<typeof manifestFields>>, 'command' | 'points' | 'questions'>,
  context: z.RefinementCtx,
): void {
  const refuse = (path: PropertyKey[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  if (points.length > 0 && command === null) refuse(['command'], 'is missing: points need a command');
  if (points.length === 0 && questions.length === 0)
    refuse(['points'], 'are none; an exam without points has to ask questions');
  const seen = new Set<string>();
  points.forEach(({ test }, index) => {
    if (seen.has(test)) refuse(['points', index, 'test'], 'is listed twice');
    seen.add(test);
  });
}

/** `exam.json` of a folder whose test files lie in `exam/`. */
export const ExamManifest = z.object(manifestFields).superRefine(refuseContradictions);
export type ExamManifest = z.infer<typeof ExamManifest>;

/** An exam in one piece, as an examiner answers it and as it is stored. */
export const Exam = z
  .object({ ...manifestFields, files: Files.default([]) })
  .superRefine(refuseContradictions)
  .superRefine(({ points, files }, context) => {
    if (points.length > 0 && files.length === 0)
      context.addIssue({ code: 'custom', path: ['files'], message: 'are none: points need test files' });
  })
  .meta({ id: 'Exam' });
export type Exam = z.infer<typeof Exam>;
export type ExamInput = z.input<typeof Exam>;

/** `requirement`: the task demands it. `regression`: the base does it and the task does not ask to change it. */
export const COUNTEREXAMPLE_KINDS = ['requirement', 'regression'] as const;

const counterexampleFields = {
  kind: z.enum(COUNTEREXAMPLE_KINDS),
  requirement: RequirementText,
  /** Place of the fault in the patched tree. */
  file: CheckoutPath,
  line: z.int().positive(),
  command: Command,
  /** Test with the failing input. */
  test: TestId,
  /** Failing input in one line; the only part of a counterexample that feedback may show. */
  input: Line(500),
  /** Tests with close inputs, which have to fail with it. */
  neighbours: z.array(TestId).min(MIN_NEIGHBOURS).max(20),
  why: Line(1_000),
};

/** A test that fails on the patched tree, with neighbours that fail with it. */
export const Counterexample = z.object({ ...counterexampleFields, files: Files.min(1) });
export type Counterexample = z.infer<typeof Counterexample>;

const challengeFields = {
  /** Probability that the patch is wrong. It fails no patch by itself. */
  p_wrong: Probability,
  requirements: z
    .array(
      z.object({
        requirement: RequirementText,
        state: z.enum(['met', 'not_met', 'unclear']),
        file: CheckoutPath.nullable(),
        line: z.int().positive().nullable(),
      }),
    )
    .max(MAX_EXAM_POINTS)
    .default([]),
};

/** What a challenger hands in. */
export const Challenge = z
  .object({ ...challengeFields, counterexamples: z.array(Counterexample).max(MAX_COUNTEREXAMPLES) })
  .meta({ id: 'Challenge' });
export type Challenge = z.infer<typeof Challenge>;

/** `challenge.json` of a folder; `folder` names the subfolder with the files of a counterexample. */
export const ChallengeManifest = z.object({
  ...challengeFields,
  counterexamples: z
    .array(z.object({ ...counterexampleFields, folder: CheckoutPath }))
    .max(MAX_COUNTEREXAMPLES),
});
export type ChallengeManifest = z.infer<typeof ChallengeManifest>;

/** Why a point or a counterexample is dropped: its author's fault, never the patch's. */
export const DROP_REASONS = [
  'flaky_on_base',
  'passes_on_base',
  'fails_on_base',
  'not_found_on_base',
  'flaky_on_patch',
  'passes_on_patch',
  'not_found_on_patch',
  'too_few_neighbours',
  'overwrites_base_file',
  'not_demanded',
  'minor',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Why a validated point has no result on the patched tree. */
export const NOT_RUN_REASONS = [
  'not_loaded',
  'not_reported',
  'skipped',
  'timed_out',
  'flaky',
  'could_not_run',
] as const;
export type NotRunReason = (typeof NOT_RUN_REASONS)[number];

/** Result of a point or of a counterexample. A counterexample that holds is `not_met`. */
export const ExamPointOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('met') }),
  z.object({ outcome: z.literal('not_met') }),
  z.object({ outcome: z.literal('not_run'), reason: z.enum(NOT_RUN_REASONS) }),
  z.object({ outcome: z.literal('dropped'), reason: z.enum(DROP_REASONS) }),
]);
export type ExamPointOutcome = z.infer<typeof ExamPointOutcome>;

/** Result of one point. `index` is its place in the exam; neither the test nor its output is part of a result. */
export const ExamPointResult = z.object({
  index: z.int().nonnegative(),
  requirement: RequirementText,
  result: ExamPointOutcome,
});
export type ExamPointResult = z.infer<typeof ExamPointResult>;

/** Result of one counterexample. */
export const CounterexampleResult = z.object({
  index: z.int().nonnegative(),
  kind: z.enum(COUNTEREXAMPLE_KINDS),
  requirement: RequirementText,
  file: z.string(),
  line: z.int().positive(),
  input: z.string(),
  /** Neighbours that fail on the patched tree as their author said. */
  neighbours: z.int().nonnegative(),
  result: ExamPointOutcome,
});
export type CounterexampleResult = z.infer<typeof CounterexampleResult>;

/** Who decides: nobody (`off`), people who read it (`advise`), or the verdict (`gate`). */
export const EXAM_MODES = ['off', 'advise', 'gate'] as const;
export const ExamMode = z.enum(EXAM_MODES);
export type ExamMode = z.infer<typeof ExamMode>;

/**
 * Independent evidence of an attempt: kind `executed`, made by tests that were written without the patch's author. It names
 * requirements only, so that it may be shown to the next attempt.
 */
export const IndependentEvidence = z.object({
  mode: ExamMode,
  points: z.array(ExamPointResult),
  counterexamples: z.array(CounterexampleResult),
  open: z.array(z.string()),
  questions: z.array(z.string()),
  /** Requirements by text: how many the exam names, how many of them were tested, how many are met. */
  requirements: z.object({
    total: z.int().nonnegative(),
    tested: z.int().nonnegative(),
    met: z.int().nonnegative(),
    not_met: z.array(z.string()),
  }),
});
export type IndependentEvidence = z.infer<typeof IndependentEvidence>;
