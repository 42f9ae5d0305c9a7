import type { AgentRunState } from './adapters/run-state.ts';

/** How long a CLI may say nothing but that it waits. Its own retries are few, so this is a wait without an end. */
export const WAITING_MS = 300_000;
/** How long it may say nothing at all, where its role does not say: longer than a tool of any CLI or a call of a model may take. */
export const SILENCE_MS = 900_000;

/** Why an agent was stopped before its time was over. */
export type WatchdogStopReason =
  /** It has said nothing for so long but that it waits. */
  | { readonly reason: 'waiting'; readonly for: string }
  /** It has said nothing at all. */
  | { readonly reason: 'silent'; readonly seconds: number }
  /** It has taken more turns than it may. */
  | { readonly reason: 'turns'; readonly limit: number };

export interface WatchdogLimits {
  readonly waitingMs: number;
  readonly silenceMs: number;
  readonly maxTurns: number | null;
}

/**
 * Watches a CLI for what would go on without an end: that it waits (for the network, for the provider), that it is silent, that it turns
 * in circles. `end` fires then, with a `Stopped` as its reason.
 */
export function startWatchdog({ waitingMs, silenceMs, maxTurns }: WatchdogLimits): {
  /** It has printed something. */
  heard(): void;
  /** An event was read. */
  see(reading: AgentRunState): void;
  readonly end: AbortSignal;
  stop(): void;
} {
  const end = new AbortController();
  const stopped = (reason: WatchdogStopReason): void => end.abort(reason);
  const silence = setTimeout(() => stopped({ reason: 'silent', seconds: silenceMs / 1_000 }), silenceMs);
  let waiting: NodeJS.Timeout | undefined;
  let last = '';
  const goesOn = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  return {
    heard: () => void silence.refresh(),
    see: ({ waitReason: reason, turns, toolCalls }) => {
      // Not every CLI says what its turns are; each call of a tool is in one.
      if (maxTurns !== null && Math.max(turns, toolCalls) > maxTurns)
        stopped({ reason: 'turns', limit: maxTurns });
      if (reason === null) return goesOn();
      last = reason;
      // A wait that is said again is the same wait.
      waiting ??= setTimeout(() => stopped({ reason: 'waiting', for: last }), waitingMs);
    },
    end: end.signal,
    stop: () => {
      clearTimeout(silence);
      goesOn();
    },
  };
}
