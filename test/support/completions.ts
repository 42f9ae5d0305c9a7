import type { Completed, Completion } from '../../shared/control/ledger/nudge.ts';

/** So many completions of just now, the verified ones first. */
export function completed(verified: number, unverified: number): Completed {
  const now = Date.now();
  const one = (at: number, good: boolean): Completion => ({
    task_id: `${good ? 'V' : 'U'}${at}`,
    at: new Date(now - 1_000 + at).toISOString(),
    verified: good,
  });
  return {
    latest: [
      ...Array.from({ length: verified }, (_, at) => one(at, true)),
      ...Array.from({ length: unverified }, (_, at) => one(verified + at, false)),
    ],
    anew: null,
    ever: { verified, unverified },
  };
}
