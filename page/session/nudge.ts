import { useEffect, useRef } from 'preact/hooks';
import type { VerificationNudge } from '../../shared/api/schemas.ts';
import { percent } from '../../shared/format.ts';
import type { Say } from './toasts.tsx';

export const nudgeText = ({
  unverified_count,
  total_completions,
  unverified_ratio,
}: VerificationNudge): string =>
  `${unverified_count}/${total_completions} tasks completed without verification${
    unverified_ratio === null ? '' : ` (${percent(unverified_ratio)})`
  }`;

/** Is there news to be told? Only above the threshold, and only when more work is unverified than was when it was told last. */
export const isNews = (nudge: VerificationNudge | null, told: number): boolean =>
  nudge?.threshold_exceeded === true && nudge.unverified_count > told;

/** A word in passing when the threshold trips, and a mark in the title that can be seen from another tab. */
export function useNudge(nudge: VerificationNudge | null, say: Say): void {
  const told = useRef(0);
  const exceeded = nudge?.threshold_exceeded === true;
  useEffect(() => {
    if (nudge && isNews(nudge, told.current)) {
      told.current = nudge.unverified_count;
      say('bad', `Verification alert: ${nudgeText(nudge)}.`);
    }
  }, [nudge, say]);
  useEffect(() => {
    document.title = exceeded ? '(!) Assay' : 'Assay';
    return () => {
      document.title = 'Assay';
    };
  }, [exceeded]);
}
