import type { AgentRunState } from './adapters/run-state.ts';

/** How long a CLI may go on after the final event of its protocol; then it is stopped, and its result counts. */
const LINGER_MS = 5_000;

/** Ends a CLI that printed its final event and does not exit: some wait for a connection or a child of theirs without an end. */
export interface LingerTimer {
  /** Gets the state after each event. */
  see(state: Pick<AgentRunState, 'hasEnded'>): void;
  /** Fires when the CLI has lingered for too long. */
  readonly end: AbortSignal;
  /** Whether the final event came in time: whatever ends the process afterwards is no failure. */
  isFinished(): boolean;
  stop(): void;
}

/**
 * @param until end of the run, on the clock of `performance.now`
 * @param onLinger called before `end` fires
 */
export function startLingerTimer(until: number, lingerMs = LINGER_MS, onLinger?: () => void): LingerTimer {
  const lingered = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isFinished = false;
  return {
    see: ({ hasEnded }) => {
      clearTimeout(timer);
      isFinished = hasEnded && performance.now() < until;
      if (!isFinished) return;
      timer = setTimeout(() => {
        onLinger?.();
        lingered.abort();
      }, lingerMs);
    },
    end: lingered.signal,
    isFinished: () => isFinished,
    stop: () => clearTimeout(timer),
  };
}
