import { useEffect, useRef } from 'preact/hooks';
import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge.ts';
import { type Place, titleOf } from '../place.ts';
import { isNews, nudgeText } from './news.ts';
import type { Say } from './toasts.tsx';

/** A word in passing when the threshold trips, and a mark in the title that can be seen from another tab. */
export function useNudge(nudge: VerificationNudge | null, place: Place, say: Say): void {
  const told = useRef(0);
  const exceeded = nudge?.threshold_exceeded === true;
  useEffect(() => {
    if (nudge && isNews(nudge, told.current)) {
      told.current = nudge.unverified_count;
      say('bad', `Verification alert: ${nudgeText(nudge)}.`);
    }
  }, [nudge, say]);
  useEffect(() => {
    document.title = `${exceeded ? '(!) ' : ''}${titleOf(place)}`;
    return () => {
      document.title = 'Assay';
    };
  }, [exceeded, place]);
}
