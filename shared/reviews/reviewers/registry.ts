import { ADJUDICATOR_REVIEWER } from './adjudicator.ts';
import { CHALLENGER_REVIEWER } from './challenger.ts';
import { CRITERIA_DECOMPOSITION_REVIEWER } from './criteria-decomposition.ts';
import { CROSS_MODEL_REVIEWER } from './cross-model.ts';
import { EXAMINER_REVIEWER } from './examiner.ts';
import { GENERATED_TEST_REVIEWER } from './generated-test.ts';
import { INTENT_VERIFICATION_REVIEWER } from './intent-verification.ts';
import { RED_TEAM_REVIEWER } from './red-team.ts';
import { REQUIREMENTS_REVIEWER } from './requirements-review.ts';
import { PIPELINE_STAGE_REVIEWER_DEFINITION } from './review-pipeline.ts';
import { REVIEW_RUBRIC_REVIEWER } from './review-rubric.ts';
import { RUBRIC_GRADING_REVIEWER } from './rubric-grading.ts';
import { SIGNAL_REVIEWERS } from './signal-reviewers.ts';
import { TEST_EXPECTATION_REVIEWER } from './test-expectations.ts';
import { VISION_REVIEWER } from './vision.ts';

/** Reviewers whose opinions are judgements: the control plane asks them. */
export const JUDGING_REVIEWERS = {
  ...SIGNAL_REVIEWERS,
  [REQUIREMENTS_REVIEWER.kind]: REQUIREMENTS_REVIEWER,
  [TEST_EXPECTATION_REVIEWER.kind]: TEST_EXPECTATION_REVIEWER,
  [CRITERIA_DECOMPOSITION_REVIEWER.kind]: CRITERIA_DECOMPOSITION_REVIEWER,
  [RUBRIC_GRADING_REVIEWER.kind]: RUBRIC_GRADING_REVIEWER,
  [PIPELINE_STAGE_REVIEWER_DEFINITION.kind]: PIPELINE_STAGE_REVIEWER_DEFINITION,
  [RED_TEAM_REVIEWER.kind]: RED_TEAM_REVIEWER,
  [VISION_REVIEWER.kind]: VISION_REVIEWER,
} as const;

/** Reviewers whose opinions are results of gates: the gates container asks them. */
export const GATE_REVIEWERS = {
  [INTENT_VERIFICATION_REVIEWER.kind]: INTENT_VERIFICATION_REVIEWER,
  [REVIEW_RUBRIC_REVIEWER.kind]: REVIEW_RUBRIC_REVIEWER,
  [CROSS_MODEL_REVIEWER.kind]: CROSS_MODEL_REVIEWER,
  [GENERATED_TEST_REVIEWER.kind]: GENERATED_TEST_REVIEWER,
} as const;

/** Models that work on acceptance tests: what they hand in is run or checked by code. */
const EXAM_REVIEWERS = {
  [EXAMINER_REVIEWER.kind]: EXAMINER_REVIEWER,
  [CHALLENGER_REVIEWER.kind]: CHALLENGER_REVIEWER,
  [ADJUDICATOR_REVIEWER.kind]: ADJUDICATOR_REVIEWER,
} as const;

/** Every opinion of a model, by kind. */
export const REVIEWERS = { ...JUDGING_REVIEWERS, ...GATE_REVIEWERS, ...EXAM_REVIEWERS } as const;
