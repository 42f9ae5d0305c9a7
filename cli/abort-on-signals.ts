import { InterruptedError } from './exit.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts on the first signal to this process, with an `InterruptedError`. `release` gives the signals back their usual effect. */
export function abortOnSignals(): { readonly signal: AbortSignal; release(): void } {
  const interrupted = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => interrupted.abort(new InterruptedError(signal));
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    signal: interrupted.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
