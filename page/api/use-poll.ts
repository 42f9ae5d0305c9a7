import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiClient } from './api-client.ts';
import { ApiUnavailableError, TokenExpiredError } from './api-errors.ts';
import { nextPollInterval, POLL_INTERVALS, type PollOutcome } from './poll-interval.ts';

export interface PollState<T> {
  /** The last answer; null before the first. */
  readonly body: T | null;
  /** Counts answers that were not the same as the one before. */
  readonly changes: number;
  /** Why the last question had no answer; null: it had one. */
  readonly error: Error | null;
  /** Asks at once. */
  refresh(): void;
}

interface State<T> {
  readonly body: T | null;
  readonly changes: number;
  readonly error: Error | null;
}

/**
 * Asks again and again, each time whether it has changed, and stands still while nobody looks at the page. `read` gets the tag of
 * the last answer.
 */
export function useApiPolling<T>(api: ApiClient, path: string, onTokenExpired: () => void): PollState<T> {
  const [state, setState] = useState<State<T>>({ body: null, changes: 0, error: null });
  const ask = useRef<() => void>(() => {});
  useEffect(() => {
    let etag: string | null = null;
    let wait: number = POLL_INTERVALS.soonest;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    let over = false;
    setState({ body: null, changes: 0, error: null });
    const round = async (): Promise<PollOutcome> => {
      try {
        const read = await api.read<T>(path, etag);
        if (over) return 'same';
        if (read === null) {
          setState((before) => (before.error === null ? before : { ...before, error: null }));
          return 'same';
        }
        const isNew = etag === null || read.etag !== etag;
        etag = read.etag;
        setState(({ changes }) => ({ body: read.body, changes: changes + (isNew ? 1 : 0), error: null }));
        return 'changed';
      } catch (error) {
        if (over) return 'away';
        if (error instanceof TokenExpiredError) onTokenExpired();
        const failure = error instanceof Error ? error : new ApiUnavailableError(String(error));
        setState((before) => ({ ...before, error: failure }));
        return 'away';
      }
    };
    const next = async (): Promise<void> => {
      clearTimeout(timer);
      if (running || over) return;
      running = true;
      wait = nextPollInterval(wait, await round());
      running = false;
      if (!over && !document.hidden) timer = setTimeout(() => void next(), wait);
    };
    const onLook = (): void => {
      if (document.hidden) clearTimeout(timer);
      else void next();
    };
    ask.current = () => {
      wait = POLL_INTERVALS.soonest;
      void next();
    };
    document.addEventListener('visibilitychange', onLook);
    window.addEventListener('online', onLook);
    void next();
    return () => {
      over = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onLook);
      window.removeEventListener('online', onLook);
    };
  }, [api, path, onTokenExpired]);
  return { ...state, refresh: () => ask.current() };
}
