import { useEffect, useRef } from 'preact/hooks';
import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge.ts';
import { type PageRoute, pageTitle } from '../place.ts';
import { shouldShowNudge, verificationNudgeText } from './news.ts';
import type { ShowToast } from './toasts.tsx';

/** A word in passing when the threshold trips, and a mark in the title that can be seen from another tab. */
export function useVerificationNudge(nudge: VerificationNudge | null, place: PageRoute, say: ShowToast): void {
  const told = useRef(0);
  const exceeded = nudge?.threshold_exceeded === true;
  useEffect(() => {
    if (nudge && shouldShowNudge(nudge, told.current)) {
      told.current = nudge.unverified_count;
      say('bad', `Verification alert: ${verificationNudgeText(nudge)}.`);
    }
  }, [nudge, say]);
  useEffect(() => {
    document.title = `${exceeded ? '(!) ' : ''}${pageTitle(place)}`;
    return () => {
      document.title = 'Assay';
    };
  }, [exceeded, place]);
}
