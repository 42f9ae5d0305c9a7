import type { AutonomyLevel } from '../../../contract/approval/autonomy.ts';
import type { Evidence } from '../../../contract/evidence/schema.ts';
import type { VisionSettings } from '../../../contract/review/vision-settings.ts';
import { listScreenshots, type Screenshot } from '../../../contract/screenshot.ts';
import type { Task } from '../../../contract/task/task.ts';
import type { PromptPicture, ReviewQuestion } from '../../engine/ask-model-port.ts';
import type { ReviewPiece } from '../../engine/review-piece.ts';
import { reviewQuestion } from '../../engine/review-question.ts';
import { PROMPTS } from '../../judging/prompts.ts';
import { failOpenResult, type ReviewGateResult, resultOfFindings } from '../review-gate-result.ts';
import { type VisionFinding, type VisionReport, visionReportSchema } from './vision-finding.ts';

export const VISION_SUBJECT = 'vision';
const MAX_TOKENS = 2_048;

/** How pictures of a task's work are looked at; null: its workflow does not want that. */
export const visionSettings = ({
  workflow_in_force: workflow,
}: Pick<Task, 'workflow_in_force'>): VisionSettings | null =>
  workflow?.review.vision?.enabled ? workflow.review.vision : null;

/** The gate that takes pictures. */
const GATE = 'screenshots';

/** Why there is nothing to look at, or null. */
export function missingPicturesReason(
  evidence: Pick<Evidence, 'gates'>,
  { acceptance_criteria }: Pick<Task, 'acceptance_criteria'>,
  { verifier }: Pick<VisionSettings, 'verifier'>,
): string | null {
  if (listScreenshots(evidence).length === 0) {
    const gate = evidence.gates.find(({ name }) => name === GATE);
    return gate
      ? `there are no pictures to look at: the gate ${GATE} is ${gate.outcome} (${gate.detail.slice(0, 300)})`
      : `there are no pictures to look at: the gate ${GATE} has not run`;
  }
  return verifier === 'llm_vision' && acceptance_criteria.length === 0
    ? 'the task has no acceptance criteria to judge pictures by'
    : null;
}

const titleOf = ({ name, path, width, height }: Screenshot, index: number): string =>
  `picture ${index + 1}: ${name}, ${path}, ${width} x ${height}`;

export function visionQuestion(
  about: readonly ReviewPiece[],
  shots: readonly Screenshot[],
  pictures: readonly PromptPicture[],
  { timeout_s }: Pick<VisionSettings, 'timeout_s'>,
): ReviewQuestion<ReturnType<typeof visionReportSchema>> {
  const list = {
    kind: 'pictures' as const,
    label: 'pictures, in their order',
    text: shots.map(titleOf).join('\n'),
  };
  return reviewQuestion(
    {
      prompt: PROMPTS.vision_verdict,
      pictures,
      answerSchema: visionReportSchema(shots.map(({ name }) => name)),
      maxTokens: MAX_TOKENS,
      timeoutMs: timeout_s * 1_000,
    },
    [...about, list],
  );
}

const aboutOf = ({ category, screenshot }: VisionFinding): string =>
  screenshot === '' ? category : `${category} in ${screenshot}`;

/** What findings in pictures make of work. */
export const visionResult = (
  { summary, findings, confidence }: VisionReport,
  autonomy: AutonomyLevel,
  injections: readonly string[] = [],
): ReviewGateResult =>
  resultOfFindings({ gate: 'vision', summary, findings, about: aboutOf, autonomy, injections, confidence });

/** Nobody has looked: the gate is open, with a finding that says so. */
export const failedOpenVisionResult = (
  outcome: 'could_not_run' | 'timed_out' | 'infra_failed',
  why: string,
): ReviewGateResult => ({
  ...failOpenResult(outcome, 'visual_defect', `nobody looked at the pictures of this work: ${why}`),
  confidence: 0,
});
