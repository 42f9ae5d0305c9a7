import { isConclusiveOutcome } from '../../contract/check-outcome.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import type { JudgementRow } from './record-rows.ts';

const numbered = (task: Task | null, number: number): Attempt | undefined =>
  task?.attempts.find((each) => each.number === number);

/** The judgements of a verdict that this write has brought. */
export function deriveJudgementRows(before: Task | null, after: Task): JudgementRow[] {
  const attempt = currentAttempt(after);
  const verdict = attempt?.verdict;
  if (!attempt || !verdict || numbered(before, attempt.number)?.verdict) return [];
  const times = attempt.reverification?.count ?? 0;
  return (verdict.judgements ?? []).map((each, index) => ({
    record_id: `${after.id}#${attempt.number}#${times === 0 ? '' : `again${times}#`}${index}`,
    schema_version: 1,
    task_id: after.id,
    timestamp: after.updated_at,
    attempt: attempt.number,
    kind: each.kind,
    subject: each.subject,
    outcome: each.outcome,
    verdict: each.verdict,
    confidence: each.confidence,
    rubric: each.grading?.rubric ?? null,
    weighted_score: each.grading?.weighted_score ?? null,
    reasons: each.reasons,
    request_reason: each.request_reason,
    injections: each.injections.length,
    model: each.model,
    family: each.family,
    writer_model: attempt.model,
    prompt: each.prompt?.id ?? null,
    prompt_version: each.prompt?.version ?? null,
    prompt_sha256: each.prompt?.sha256 ?? null,
    calibration: each.calibration,
    calls: each.calls,
    input_tokens: each.tokens?.input ?? null,
    output_tokens: each.tokens?.output ?? null,
    cost_usd: each.cost_usd,
    duration_ms: each.duration_ms,
    base_commit: verdict.base_commit,
    tree: verdict.tree,
  }));
}

/** Gates that are open where they fail. */
const OPEN_GATES: readonly JudgementRow['kind'][] = ['red_team', 'vision'];

/** Was work let on although nobody has attacked it, or looked at it, who was to? */
export const hasReviewGateFailedOpen = ({
  kind,
  outcome,
  verdict,
}: Pick<JudgementRow, 'kind' | 'outcome' | 'verdict'>): boolean =>
  OPEN_GATES.includes(kind) && verdict === 'pass' && !isConclusiveOutcome(outcome) && outcome !== 'skipped';
