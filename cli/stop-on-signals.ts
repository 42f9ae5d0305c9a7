import { killAllProcessGroups } from '../workspace/process/process-groups.ts';
import { InterruptedError } from './exit.ts';

/** What a command knows of its interruption by the user. */
export interface SignalStop {
  /** Aborts on the first signal. */
  readonly abort: AbortSignal;
  /** @throws InterruptedError if a signal has come. */
  throwIfStopped(): void;
  /** Gives the signals back their usual effect. */
  release(): void;
}

/** On SIGINT and SIGTERM, kills the processes that this one has started, and lets the caller remove its files before it ends. */
export function stopOnSignals(): SignalStop {
  const stopping = new AbortController();
  let stoppedBy: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    stopping.abort();
    killAllProcessGroups();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    abort: stopping.signal,
    throwIfStopped: () => {
      if (stoppedBy) throw new InterruptedError(stoppedBy);
    },
    release: () => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
    },
  };
}
