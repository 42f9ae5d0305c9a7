import type { Evidence } from '../../contract/evidence/schema.ts';
import { findFileOverlap } from '../../contract/submission/file-overlap.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import { describeReviewDecisionReason } from '../../reviews/engine/decision-reason.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import type { OpinionWithoutModel } from '../../reviews/engine/reviewer.ts';
import {
  determineBreakerState,
  MAX_CONSECUTIVE_REJECTIONS,
  type QualityGateCircuitBreaker,
} from '../../reviews/judging/circuit-breaker.ts';
import { findPreflightRejection } from '../../reviews/judging/preflight.ts';

/** What an attempt brought, and what was seen of it. */
export interface AttemptWithEvidence {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly evidence: Evidence;
}

/** Bytes of what the agent says of its work, and of the list of files. */
const SAID = 16_000;
const FILES = 4_000;

/** Pieces that some reviewers are shown: the agent's summary, the files, the date. */
export const qualityGatePieces = (
  { task, attempt, evidence }: AttemptWithEvidence,
  now: Date,
): ReviewPiece[] => [
  {
    kind: 'agent_summary',
    label: 'what the agent says of its work',
    text: truncateToBytes(attempt.report?.summary ?? '(nothing)', SAID),
  },
  {
    kind: 'changed_files',
    label: 'files of the work',
    text: truncateToBytes(
      [
        ...task.files.map(
          (file) =>
            `named by the task: ${file} (${findFileOverlap([file], evidence.changed_files) ? '' : 'not '}changed)`,
        ),
        ...evidence.changed_files.map((file) => `changed: ${file}`),
      ].join('\n'),
      FILES,
    ),
  },
  { kind: 'date', label: 'date of today', text: now.toISOString().slice(0, 10) },
];

/**
 * Returns the number of tools that an agent has used, or null where it is unknown. A managed agent that asked no model through
 * a gateway that meters has used none. The meter of an attempt exists only after its first call.
 */
function countToolCalls({ task, attempt }: AttemptWithEvidence, isMetered: boolean): number | null {
  const isManaged = task.adapter?.kind !== 'command' && attempt.model !== null;
  const hasToken = Boolean(attempt.agent?.model_token_sha256);
  return isManaged && isMetered && hasToken && (attempt.metered_usage?.calls ?? 0) === 0 ? 0 : null;
}

/** Returns what the quality gate sees without a model, or null: a rejection counts first, and against no model. */
export async function precheckQualityGate(
  brought: AttemptWithEvidence,
  {
    readBreaker,
    isMetered = false,
    now,
  }: {
    readonly isMetered?: boolean;
    readonly readBreaker: (model: string) => Promise<QualityGateCircuitBreaker | null>;
    readonly now: () => Date;
  },
): Promise<OpinionWithoutModel | null> {
  const { task, attempt, evidence } = brought;
  const rejected = findPreflightRejection({
    targets: task.files,
    changed: evidence.changed_files,
    description: task.description,
    toolCalls: countToolCalls(brought, isMetered),
  });
  if (rejected !== null)
    return { outcome: 'failed', verdict: 'fail', reasons: [describeReviewDecisionReason(rejected)] };
  if (attempt.model === null) return null;
  const { state, until } = determineBreakerState(await readBreaker(attempt.model), now());
  return state === 'open' && until !== null
    ? { code: 'breaker_open', writer: attempt.model, rejections: MAX_CONSECUTIVE_REJECTIONS, until }
    : null;
}
