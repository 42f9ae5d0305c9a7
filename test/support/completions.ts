import type { CompletionHistory, TaskCompletion } from '../../shared/control/ledger/verification-nudge.ts';

/** So many completions of just now, the verified ones first. */
export function buildCompletions(verified: number, unverified: number): CompletionHistory {
  const now = Date.now();
  const one = (at: number, good: boolean): TaskCompletion => ({
    task_id: `${good ? 'V' : 'U'}${at}`,
    at: new Date(now - 1_000 + at).toISOString(),
    verified: good,
  });
  return {
    latest: [
      ...Array.from({ length: verified }, (_, at) => one(at, true)),
      ...Array.from({ length: unverified }, (_, at) => one(verified + at, false)),
    ],
    reset: null,
    totals: { verified, unverified },
  };
}
