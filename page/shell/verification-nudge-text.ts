import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge-schema.ts';
import { formatPercent } from '../../shared/lib/format.ts';

export const verificationNudgeText = ({
  unverified_count,
  total_completions,
  unverified_ratio,
}: VerificationNudge): string =>
  `${unverified_count}/${total_completions} tasks completed without verification${
    unverified_ratio === null ? '' : ` (${formatPercent(unverified_ratio)})`
  }`;

/** Which completions are spoken of. */
export const formatVerificationWindow = ({ window }: VerificationNudge): string =>
  window
    ? `Of the latest ${window.completions} completions, none older than ${window.days} days${
        window.reset
          ? `, since ${window.reset.by} began anew at ${window.reset.at}: ${window.reset.reason}`
          : ''
      }`
    : '';

/** Is there news to be told? Only above the threshold, and only when more work is unverified than was when it was told last. */
export const shouldShowNudge = (nudge: VerificationNudge | null, told: number): boolean =>
  nudge?.threshold_exceeded === true && nudge.unverified_count > told;
