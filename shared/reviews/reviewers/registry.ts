import { CRITERIA_DECOMPOSITION } from './criteria-decomposition.ts';
import { CROSS_MODEL } from './cross-model.ts';
import { EXPECTATION_COMPARISON } from './expectations.ts';
import { GENERATED_TEST } from './generated-test.ts';
import { INTENT_VERIFICATION } from './intent-verification.ts';
import { RED_TEAM } from './red-team.ts';
import { REQUIREMENTS_REVIEW } from './requirements-review.ts';
import { STAGE_REVIEWER } from './review-pipeline.ts';
import { REVIEW_RUBRIC } from './review-rubric.ts';
import { RUBRIC_GRADING } from './rubric-grading.ts';
import { SIGNAL_REVIEWERS } from './signal.ts';
import { VISION } from './vision.ts';

/** Reviewers whose opinions are judgements: the control plane asks them. */
export const JUDGING_REVIEWERS = {
  ...SIGNAL_REVIEWERS,
  [REQUIREMENTS_REVIEW.kind]: REQUIREMENTS_REVIEW,
  [EXPECTATION_COMPARISON.kind]: EXPECTATION_COMPARISON,
  [CRITERIA_DECOMPOSITION.kind]: CRITERIA_DECOMPOSITION,
  [RUBRIC_GRADING.kind]: RUBRIC_GRADING,
  [STAGE_REVIEWER.kind]: STAGE_REVIEWER,
  [RED_TEAM.kind]: RED_TEAM,
  [VISION.kind]: VISION,
} as const;

/** Reviewers whose opinions are results of gates: the gates container asks them. */
export const GATE_REVIEWERS = {
  [INTENT_VERIFICATION.kind]: INTENT_VERIFICATION,
  [REVIEW_RUBRIC.kind]: REVIEW_RUBRIC,
  [CROSS_MODEL.kind]: CROSS_MODEL,
  [GENERATED_TEST.kind]: GENERATED_TEST,
} as const;

/** Every opinion of a model, by kind. */
export const REVIEWERS = { ...JUDGING_REVIEWERS, ...GATE_REVIEWERS } as const;
