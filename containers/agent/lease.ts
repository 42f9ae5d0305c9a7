import { ApiRefusalError, type ContainerApiClient } from '../../shared/api/container-client.ts';

/** An agent that is done sooner than this saves the API a request; any other is seen to be alive soon enough. */
const FIRST_BEAT_MS = 500;

/**
 * Keeps the lease alive until `stop` is called. When the API refuses, the attempt is no longer ours: `lost` fires and the
 * agent must end. A beat carries `progress` when it has changed. When the API cannot be reached, it goes on trying: the lease is several beats long.
 */
export function startLeaseRenewal(
  client: ContainerApiClient,
  everyMs: number,
  progress: () => string | null = () => null,
): { readonly lost: AbortSignal; stop(): void } {
  let said: string | null = null;
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const beat = async (): Promise<void> => {
    try {
      const message = progress();
      const options = { maxTries: 1, timeoutMs: Math.max(everyMs, 5_000) };
      if (message === null || message === said) await client.post('heartbeat', {}, options);
      else await client.post('progress', { message }, options);
      said = message;
    } catch (error) {
      if (error instanceof ApiRefusalError && error.status < 500) {
        console.error(`the lease is gone: ${error.message}`);
        lost.abort();
        return;
      }
      console.error(`heartbeat: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!stopped) timer = setTimeout(() => void beat(), everyMs);
  };
  timer = setTimeout(() => void beat(), Math.min(everyMs, FIRST_BEAT_MS));
  return {
    lost: lost.signal,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
