import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge-schema.ts';
import { formatPercent } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';

/** Describes the window of completions; empty if the server does not send it. */
function describeWindow({ window }: VerificationNudge): string {
  if (!window) return '';
  const days = `${window.days} ${window.days === 1 ? 'day' : 'days'}`;
  return `, of the latest ${window.completions} in ${days}${window.reset ? ` since ${window.reset.at.slice(0, 16)}Z` : ''}`;
}

/** Renders the alert or notice about unverified completions; null: there is none. */
export function renderVerificationNudge(nudge: VerificationNudge, colors: TerminalColors): string | null {
  const { unverified_count: unverified, total_completions: total } = nudge;
  if (unverified === 0 && !nudge.threshold_exceeded) return null;
  const ratio = nudge.unverified_ratio ?? (total === 0 ? 0 : unverified / total);
  const text = `${unverified}/${total} tasks completed without verification (${formatPercent(ratio)})${describeWindow(nudge)}`;
  return nudge.threshold_exceeded
    ? `${colors.bold(colors.red('Verification ALERT'))}: ${text}`
    : `${colors.bold(colors.yellow('Verification Notice'))}: ${text}`;
}
