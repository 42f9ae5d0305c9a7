import { useEffect, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { ArtifactPartResponse } from '../../shared/api/artifact-schemas.ts';
import type { ApiClient } from '../api/api-client.ts';
import { TokenExpiredError } from '../api/api-errors.ts';

type Part = z.infer<typeof ArtifactPartResponse>;

export interface LoadedArtifact {
  /** As much as was read; null: nothing yet. */
  readonly text: string | null;
  readonly bytes: number;
  /** Where the next part begins; null: this is all. */
  readonly nextOffset: number | null;
  readonly error: string;
  /** Reads the next part. */
  loadMore(): void;
}

interface State {
  readonly text: string | null;
  readonly bytes: number;
  readonly nextOffset: number | null;
  readonly error: string;
}
const NOTHING: State = { text: null, bytes: 0, nextOffset: 0, error: '' };

/** What an attempt has left, a part at a time; nothing is asked for while `wanted` is false. `whole`: up to so many bytes without being asked. */
export function useArtifact(
  api: ApiClient,
  of: { readonly id: string; readonly attempt: number; readonly kind: Exclude<Part['kind'], 'screenshot'> },
  {
    wanted,
    whole,
    onTokenExpired,
  }: { readonly wanted: boolean; readonly whole: number; readonly onTokenExpired: () => void },
): LoadedArtifact {
  const [state, setState] = useState<State>(NOTHING);
  const [upTo, setUpTo] = useState(1);
  const { id, attempt, kind } = of;
  useEffect(() => {
    setState(NOTHING);
    setUpTo(Math.max(1, whole));
  }, [id, attempt, kind, whole]);
  const { nextOffset } = state;
  useEffect(() => {
    if (!wanted || nextOffset === null || nextOffset >= upTo || state.error !== '') return;
    let over = false;
    const path = `/tasks/${encodeURIComponent(id)}/artifact?kind=${kind}&attempt=${attempt}&offset=${nextOffset}`;
    api.read<Part>(path).then(
      (read) => {
        if (over || read === null) return;
        const { text, bytes, next_offset } = read.body;
        setState((before) => ({
          text: (before.text ?? '') + text,
          bytes,
          nextOffset: next_offset,
          error: '',
        }));
      },
      (error: Error) => {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenExpired();
        else setState((before) => ({ ...before, error: error.message }));
      },
    );
    return () => {
      over = true;
    };
  }, [api, id, attempt, kind, wanted, nextOffset, upTo, state.error, onTokenExpired]);
  return {
    ...state,
    loadMore: () => {
      setState((before) => ({ ...before, error: '' }));
      setUpTo((nextOffset ?? 0) + 1);
    },
  };
}
