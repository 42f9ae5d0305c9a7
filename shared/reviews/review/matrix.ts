import { AUTONOMY_LEVELS, type AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { SEVERITIES, type Severity } from '../../contract/review/kinds.ts';

export type GateWord = 'pass' | 'pass_with_findings' | 'block';

/** Who is freer than this goes on with findings of such a severity; null: nobody does. */
const GOES_ON: Readonly<Record<Severity, readonly AutonomyLevel[]>> = {
  info: AUTONOMY_LEVELS,
  low: AUTONOMY_LEVELS,
  medium: ['full', 'semi'],
  high: [],
  critical: [],
};

const row = (severity: Severity): Readonly<Record<AutonomyLevel, GateWord>> => {
  const word = (level: AutonomyLevel): GateWord =>
    GOES_ON[severity].includes(level) ? 'pass_with_findings' : 'block';
  return { full: word('full'), semi: word('semi'), supervised: word('supervised'), locked: word('locked') };
};

/** What the most severe finding makes of work, at each level of autonomy: the one table that code and docs read. */
export const MATRIX: Readonly<Record<Severity | 'none', Readonly<Record<AutonomyLevel, GateWord>>>> = {
  none: { full: 'pass', semi: 'pass', supervised: 'pass', locked: 'pass' },
  info: row('info'),
  low: row('low'),
  medium: row('medium'),
  high: row('high'),
  critical: row('critical'),
};

export const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);

export function gateWord(severities: readonly Severity[], autonomy: AutonomyLevel): GateWord {
  const worst = [...severities].sort((a, b) => rank(b) - rank(a))[0] ?? 'none';
  return MATRIX[worst][autonomy];
}
