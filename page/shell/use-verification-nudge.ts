import { useEffect, useRef } from 'preact/hooks';
import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge-schema.ts';
import { type PageRoute, pageTitle } from '../page-route.ts';
import type { ShowToastFunction } from './toasts.tsx';
import { shouldShowNudge, verificationNudgeText } from './verification-nudge-text.ts';

/** A word in passing when the threshold trips, and a mark in the title that can be seen from another tab. */
export function useVerificationNudge(
  nudge: VerificationNudge | null,
  place: PageRoute,
  say: ShowToastFunction,
): void {
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
