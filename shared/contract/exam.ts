import * as z from 'zod';
import { COUNTEREXAMPLE_KINDS, OneLineText, RequirementText } from './evidence/independent.ts';
import {
  ExamCommand,
  ExamFiles,
  ExamProbability,
  ExamTestId,
  MAX_EXAM_POINTS,
} from './submission/hidden-tests.ts';
import { CheckoutPath } from './submission/signals.ts';

export * from './evidence/independent.ts';
export { Exam, ExamManifest, ExamPoint, MAX_EXAM_POINTS } from './submission/hidden-tests.ts';

/** Most counterexamples of a challenge. */
export const MAX_COUNTEREXAMPLES = 20;
/** Least number of neighbours of a counterexample: close inputs that have to fail with it. */
export const MIN_NEIGHBOURS = 2;

const counterexampleFields = {
  kind: z.enum(COUNTEREXAMPLE_KINDS),
  requirement: RequirementText,
  /** Place of the fault in the patched tree. */
  file: CheckoutPath,
  line: z.int().positive(),
  command: ExamCommand,
  /** Test with the failing input. */
  test: ExamTestId,
  /** Failing input in one line; the only part of a counterexample that feedback may show. */
  input: OneLineText(500),
  /** Tests with close inputs, which have to fail with it. */
  neighbours: z.array(ExamTestId).min(MIN_NEIGHBOURS).max(20),
  why: OneLineText(1_000),
};

/** A test that fails on the patched tree, with neighbours that fail with it. */
export const Counterexample = z.object({ ...counterexampleFields, files: ExamFiles.min(1) });
export type Counterexample = z.infer<typeof Counterexample>;

const challengeFields = {
  /** Probability that the patch is wrong. It fails no patch by itself. */
  p_wrong: ExamProbability,
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
