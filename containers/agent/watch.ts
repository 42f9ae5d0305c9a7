import type { Reading } from './adapters/reading.ts';

/** Why an agent was stopped before its time was over. */
export type Stopped =
  /** It has said nothing for so long but that it waits. */
  | { readonly why: 'waiting'; readonly for: string }
  /** It has said nothing at all. */
  | { readonly why: 'silent'; readonly seconds: number }
  /** It has taken more turns than it may. */
  | { readonly why: 'turns'; readonly limit: number };

export interface Patience {
  readonly waitingMs: number;
  readonly silenceMs: number;
  readonly maxTurns: number | null;
}

/**
 * Watches a CLI for what would go on without an end: that it waits (for the network, for the provider), that it is silent, that it turns
 * in circles. `end` fires then, with a `Stopped` as its reason.
 */
export function watchAgent({ waitingMs, silenceMs, maxTurns }: Patience): {
  /** It has printed something. */
  heard(): void;
  /** An event was read. */
  see(reading: Reading): void;
  readonly end: AbortSignal;
  stop(): void;
} {
  const end = new AbortController();
  const stopped = (reason: Stopped): void => end.abort(reason);
  const silence = setTimeout(() => stopped({ why: 'silent', seconds: silenceMs / 1_000 }), silenceMs);
  let waiting: NodeJS.Timeout | undefined;
  let last = '';
  const goesOn = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  return {
    heard: () => void silence.refresh(),
    see: ({ waiting: reason, turns, tools }) => {
      // Not every CLI says what its turns are; each call of a tool is in one.
      if (maxTurns !== null && Math.max(turns, tools) > maxTurns) stopped({ why: 'turns', limit: maxTurns });
      if (reason === null) return goesOn();
      last = reason;
      // A wait that is said again is the same wait.
      waiting ??= setTimeout(() => stopped({ why: 'waiting', for: last }), waitingMs);
    },
    end: end.signal,
    stop: () => {
      clearTimeout(silence);
      goesOn();
    },
  };
}
