import { AUTONOMY_LEVELS, type AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { REVIEW_SEVERITIES, type ReviewSeverity } from '../../contract/review/review-stage-names.ts';

export type FindingGateDecision = 'pass' | 'pass_with_findings' | 'block';

/** Who is freer than this goes on with findings of such a severity; null: nobody does. */
const AUTONOMY_ALLOWED: Readonly<Record<ReviewSeverity, readonly AutonomyLevel[]>> = {
  info: AUTONOMY_LEVELS,
  low: AUTONOMY_LEVELS,
  medium: ['full', 'semi'],
  high: [],
  critical: [],
};

const row = (severity: ReviewSeverity): Readonly<Record<AutonomyLevel, FindingGateDecision>> => {
  const word = (level: AutonomyLevel): FindingGateDecision =>
    AUTONOMY_ALLOWED[severity].includes(level) ? 'pass_with_findings' : 'block';
  return { full: word('full'), semi: word('semi'), supervised: word('supervised'), locked: word('locked') };
};

/** What the most severe finding makes of work, at each level of autonomy: the one table that code and docs read. */
export const FINDING_SEVERITY_DECISIONS: Readonly<
  Record<ReviewSeverity | 'none', Readonly<Record<AutonomyLevel, FindingGateDecision>>>
> = {
  none: { full: 'pass', semi: 'pass', supervised: 'pass', locked: 'pass' },
  info: row('info'),
  low: row('low'),
  medium: row('medium'),
  high: row('high'),
  critical: row('critical'),
};

export const rankFindingSeverity = (severity: ReviewSeverity): number => REVIEW_SEVERITIES.indexOf(severity);

export function decideOnFindingSeverity(
  severities: readonly ReviewSeverity[],
  autonomy: AutonomyLevel,
): FindingGateDecision {
  const worst = [...severities].sort((a, b) => rankFindingSeverity(b) - rankFindingSeverity(a))[0] ?? 'none';
  return FINDING_SEVERITY_DECISIONS[worst][autonomy];
}
