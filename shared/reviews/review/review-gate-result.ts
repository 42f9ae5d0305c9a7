import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { ReviewSeverity } from '../../contract/review/review-stage-names.ts';
import type { ReviewOpinion } from '../engine/reviewer.ts';
import { mostSevereFindings } from './red-team-finding.ts';
import { decideOnFindingSeverity } from './severity-matrix.ts';

interface Finding {
  readonly severity: ReviewSeverity;
  readonly description: string;
  readonly evidence: readonly string[];
}

interface FindingsInput<F extends Finding> {
  /** As the reason names it. */
  readonly gate: 'red-team' | 'vision';
  readonly summary: string;
  readonly findings: readonly F[];
  /** What a finding is about, in a word or two. */
  readonly about: (finding: F) => string;
  readonly autonomy: AutonomyLevel;
  readonly confidence?: number | null;
}

const MAX_LINE = 1_000;

/** What findings make of work: what blocks sends it back with the summary, what does not is kept with it. */
export function opinionOnFindings<F extends Finding>({
  gate,
  summary,
  findings,
  about,
  autonomy,
  confidence = null,
}: FindingsInput<F>): ReviewOpinion {
  const all = mostSevereFindings(findings);
  const severities = all.map(({ severity }) => severity);
  const isBlocked = decideOnFindingSeverity(severities, autonomy) === 'block';
  const line = (finding: F): string => {
    const { severity, description, evidence } = finding;
    const shown = evidence.length > 0 ? ` (${evidence.join('; ')})` : '';
    return `${severity} ${about(finding)}: ${description}${shown}`.slice(0, MAX_LINE);
  };
  return {
    outcome: isBlocked ? 'failed' : 'passed',
    verdict: isBlocked ? 'fail' : 'pass',
    confidence,
    reasons: [...(isBlocked ? [`${gate} blocked: ${summary.slice(0, MAX_LINE)}`] : []), ...all.map(line)],
  };
}

/** What becomes of work that a gate finds nothing of to look at. */
export type MissingDeliverableAction = 'skip' | 'hold' | 'block';
const MISSING = {
  skip: { outcome: 'skipped', verdict: 'pass' },
  hold: { outcome: 'could_not_run', verdict: 'refer' },
  block: { outcome: 'failed', verdict: 'fail' },
} as const satisfies Readonly<Record<MissingDeliverableAction, Pick<ReviewOpinion, 'outcome' | 'verdict'>>>;

export const createMissingDeliverableOpinion = (
  why: string,
  onMissing: MissingDeliverableAction,
): ReviewOpinion => ({
  ...MISSING[onMissing],
  reasons: [why],
});
