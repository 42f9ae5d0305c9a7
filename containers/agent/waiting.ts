/**
 * Watches a CLI that says that it waits (for the network, for the provider). Some do so for ever: when nothing else has come for `limitMs`,
 * `tooLong` fires.
 */
export function watchWaiting(limitMs: number): {
  /** An event has come: what it says that the CLI waits for, or null. */
  see(reason: string | null): void;
  readonly tooLong: AbortSignal;
  last(): string;
  stop(): void;
} {
  const tooLong = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let last = '';
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    see: (reason) => {
      if (reason === null) return stop();
      last = reason;
      // A wait that is said again is the same wait.
      timer ??= setTimeout(() => tooLong.abort(), limitMs);
    },
    tooLong: tooLong.signal,
    last: () => last,
    stop,
  };
}
