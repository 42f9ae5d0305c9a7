import { AUTONOMY_LEVELS, type AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { REVIEW_SEVERITIES, type ReviewSeverity } from '../../contract/review/review-stage-names.ts';

export type ReviewGateDecision = 'pass' | 'pass_with_findings' | 'block';

/** Who is freer than this goes on with findings of such a severity; null: nobody does. */
const AUTONOMY_ALLOWED: Readonly<Record<ReviewSeverity, readonly AutonomyLevel[]>> = {
  info: AUTONOMY_LEVELS,
  low: AUTONOMY_LEVELS,
  medium: ['full', 'semi'],
  high: [],
  critical: [],
};

const row = (severity: ReviewSeverity): Readonly<Record<AutonomyLevel, ReviewGateDecision>> => {
  const word = (level: AutonomyLevel): ReviewGateDecision =>
    AUTONOMY_ALLOWED[severity].includes(level) ? 'pass_with_findings' : 'block';
  return { full: word('full'), semi: word('semi'), supervised: word('supervised'), locked: word('locked') };
};

/** What the most severe finding makes of work, at each level of autonomy: the one table that code and docs read. */
export const SEVERITY_MATRIX: Readonly<
  Record<ReviewSeverity | 'none', Readonly<Record<AutonomyLevel, ReviewGateDecision>>>
> = {
  none: { full: 'pass', semi: 'pass', supervised: 'pass', locked: 'pass' },
  info: row('info'),
  low: row('low'),
  medium: row('medium'),
  high: row('high'),
  critical: row('critical'),
};

export const severityRank = (severity: ReviewSeverity): number => REVIEW_SEVERITIES.indexOf(severity);

export function reviewGateDecision(
  severities: readonly ReviewSeverity[],
  autonomy: AutonomyLevel,
): ReviewGateDecision {
  const worst = [...severities].sort((a, b) => severityRank(b) - severityRank(a))[0] ?? 'none';
  return SEVERITY_MATRIX[worst][autonomy];
}
