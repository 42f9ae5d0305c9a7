import * as z from 'zod';
import { COUNTEREXAMPLE_KINDS, OneLineText, RequirementText } from './evidence/independent.ts';
import { HiddenTestFile, MAX_HIDDEN_TEST_FILES, refuseUnusableFiles } from './submission/hidden-tests.ts';
import { CheckoutPath } from './submission/signals.ts';

export * from './evidence/independent.ts';

/** Most points of an exam, and most counterexamples of a challenge. */
export const MAX_EXAM_POINTS = 100;
export const MAX_COUNTEREXAMPLES = 20;
/** Least number of neighbours of a counterexample: close inputs that have to fail with it. */
export const MIN_NEIGHBOURS = 2;

const Command = OneLineText(1_000).describe('One command that runs the tests from the root of the checkout.');
const Probability = z.number().min(0).max(1);
/** Identifies a test by its name as the runner reports it, or by the end of that name. */
const TestId = OneLineText(500);
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
  open: z.array(OneLineText(500)).max(50).default([]),
  /** Questions to the requester that would make the task testable. */
  questions: z.array(OneLineText(500)).max(20).default([]),
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
  input: OneLineText(500),
  /** Tests with close inputs, which have to fail with it. */
  neighbours: z.array(TestId).min(MIN_NEIGHBOURS).max(20),
  why: OneLineText(1_000),
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
