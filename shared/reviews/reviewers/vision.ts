import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Evidence } from '../../contract/evidence/schema.ts';
import type { VisionSettings } from '../../contract/review/vision-settings.ts';
import { listScreenshots, type Screenshot } from '../../contract/screenshot.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReviewDecisionReason, type MissingPictures } from '../engine/decision-reason.ts';
import type { JudgingReviewer, OpinionWithoutModel, ReviewOpinion } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { createMissingDeliverableOpinion, opinionOnFindings } from '../review/review-gate-result.ts';
import {
  type VisionFinding,
  type VisionReport,
  visionReportSchema,
} from '../review/vision/vision-finding.ts';

/** Returns the settings of the picture review; null: the workflow does not want one. */
export const findVisionSettings = ({
  resolved_workflow: workflow,
}: Pick<Task, 'resolved_workflow'>): VisionSettings | null =>
  workflow?.review.vision?.enabled ? workflow.review.vision : null;

/** The gate that takes pictures. */
const GATE = 'screenshots';

/** Returns why no picture is looked at, or null. */
function missingPictures(
  evidence: Pick<Evidence, 'gates'>,
  { acceptance_criteria }: Pick<Task, 'acceptance_criteria'>,
  { verifier }: Pick<VisionSettings, 'verifier'>,
): MissingPictures | null {
  if (listScreenshots(evidence).length === 0) {
    const gate = evidence.gates.find(({ name }) => name === GATE);
    return gate
      ? { code: 'gate_without_pictures', outcome: gate.outcome, detail: gate.detail }
      : { code: 'gate_not_run' };
  }
  if (verifier === 'noop') return { code: 'verifier_noop' };
  return verifier === 'llm_vision' && acceptance_criteria.length === 0
    ? { code: 'no_criteria_for_pictures' }
    : null;
}

/** Returns the opinion on work without pictures, or where no verifier looks; null: the pictures are looked at. */
export function precheckVisionReview(
  evidence: Pick<Evidence, 'gates'>,
  task: Pick<Task, 'acceptance_criteria'>,
  settings: Pick<VisionSettings, 'verifier' | 'on_missing_deliverable'>,
): ReviewOpinion | null {
  const missing = missingPictures(evidence, task, settings);
  const then = missing?.code === 'verifier_noop' ? 'skip' : settings.on_missing_deliverable;
  return missing && createMissingDeliverableOpinion(describeReviewDecisionReason(missing), then);
}

const titleOf = ({ name, path, width, height }: Screenshot, index: number): string =>
  `picture ${index + 1}: ${name}, ${path}, ${width} x ${height}`;

const aboutOf = ({ category, screenshot }: VisionFinding): string =>
  screenshot === '' ? category : `${category} in ${screenshot}`;

/** Returns the opinion on findings in pictures. */
export const formVisionOpinion = (
  { summary, findings, confidence }: VisionReport,
  autonomy: AutonomyLevel,
): ReviewOpinion =>
  opinionOnFindings({ gate: 'vision', summary, findings, about: aboutOf, autonomy, confidence });

export interface VisionInput {
  readonly settings: VisionSettings;
  readonly autonomy: AutonomyLevel;
  /** Pictures that are shown, and those for which the question has no room. */
  readonly shown: readonly Screenshot[];
  readonly omitted: readonly Screenshot[];
  /** The result without a model; null: a model is asked. */
  readonly early: OpinionWithoutModel | null;
}

const omittedFindings = (omitted: readonly Screenshot[]): VisionFinding[] =>
  omitted.length === 0
    ? []
    : [
        {
          category: 'visual_defect',
          severity: 'info',
          description: `not looked at, for want of room: ${omitted.map(({ name }) => name).join(', ')}`,
          evidence: [],
          suggested_fix: '',
          screenshot: '',
        },
      ];

/** Reviews pictures of the work. Without a model the work goes on, with a finding that says so. */
export const VISION_REVIEWER = {
  kind: 'vision',
  purpose: 'vision',
  family: 'other',
  prompt: JUDGE_PROMPTS.vision_verdict,
  answerSchema: ({ shown }) => visionReportSchema(shown.map(({ name }) => name)),
  maxTokens: 2_048,
  timeoutMs: ({ settings }) => settings.timeout_s * 1_000,
  shows: ['task', 'pictures'],
  pieces: ({ shown }) => [
    { kind: 'pictures', label: 'pictures, in their order', text: shown.map(titleOf).join('\n') },
  ],
  head: () => ({ subject: 'vision' }),
  because: ({ settings }) => `asked: the workflow has pictures looked at by ${settings.verifier}`,
  precheck: ({ early }) => early,
  decide: (report, { omitted, autonomy }) =>
    formVisionOpinion({ ...report, findings: [...report.findings, ...omittedFindings(omitted)] }, autonomy),
  absent: () => 'pass_with_finding',
  after: { verification: { code: 'graded_down' }, red_team: { code: 'red_team_failed' } },
  absenceOpinion: (why) => ({
    confidence: 0,
    reasons: [`info visual_defect: nobody looked at the pictures of this work: ${why}`.slice(0, 1_000)],
  }),
} satisfies JudgingReviewer<ReturnType<typeof visionReportSchema>, VisionInput, unknown>;
