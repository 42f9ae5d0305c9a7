/**
 * A promise that also ends when `signal` is aborted, with the signal's reason. `start` begins the work and returns what
 * releases it (timers, registrations); it is called exactly once, however the promise ends.
 */
export function runInterruptibly<T>(
  signal: AbortSignal,
  start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let settled = false;
    let release: (() => void) | undefined;
    const settle = (deliver: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', interrupt);
      release?.();
      deliver();
    };
    const interrupt = () => settle(() => reject(signal.reason));
    signal.addEventListener('abort', interrupt, { once: true });
    release = start(
      (value) => settle(() => resolve(value)),
      (reason) => settle(() => reject(reason)),
    );
    if (settled) release();
  });
}
