import { useEffect, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { ArtifactPart } from '../../shared/api/artifact-schemas.ts';
import type { ApiClient } from '../api/client.ts';
import { TokenExpiredError } from '../api/errors.ts';

type Part = z.infer<typeof ArtifactPart>;

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
  readonly next: number | null;
  readonly trouble: string;
}
const NOTHING: State = { text: null, bytes: 0, next: 0, trouble: '' };

/** What an attempt has left, a part at a time; nothing is asked for while `wanted` is false. `whole`: up to so many bytes without being asked. */
export function useArtifact(
  api: ApiClient,
  of: { readonly id: string; readonly attempt: number; readonly kind: Exclude<Part['kind'], 'screenshot'> },
  {
    wanted,
    whole,
    onTokenOver,
  }: { readonly wanted: boolean; readonly whole: number; readonly onTokenOver: () => void },
): LoadedArtifact {
  const [state, setState] = useState<State>(NOTHING);
  const [upTo, setUpTo] = useState(1);
  const { id, attempt, kind } = of;
  useEffect(() => {
    setState(NOTHING);
    setUpTo(Math.max(1, whole));
  }, [id, attempt, kind, whole]);
  const { next } = state;
  useEffect(() => {
    if (!wanted || next === null || next >= upTo || state.trouble !== '') return;
    let over = false;
    const path = `/tasks/${encodeURIComponent(id)}/artifact?kind=${kind}&attempt=${attempt}&offset=${next}`;
    api.read<Part>(path).then(
      (read) => {
        if (over || read === null) return;
        const { text, bytes, next_offset } = read.body;
        setState((before) => ({ text: (before.text ?? '') + text, bytes, next: next_offset, trouble: '' }));
      },
      (error: Error) => {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenOver();
        else setState((before) => ({ ...before, trouble: error.message }));
      },
    );
    return () => {
      over = true;
    };
  }, [api, id, attempt, kind, wanted, next, upTo, state.trouble, onTokenOver]);
  return {
    ...state,
    loadMore: () => {
      setState((before) => ({ ...before, trouble: '' }));
      setUpTo((next ?? 0) + 1);
    },
  };
}
