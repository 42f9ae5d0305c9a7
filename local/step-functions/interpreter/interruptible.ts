/**
 * Returns a promise that is also rejected when `signal` is aborted, with its reason. `start` begins the work
 * and returns the function that releases timers and registrations, which is called exactly once.
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
