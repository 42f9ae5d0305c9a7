import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
}
export type ShowToastFunction = (tone: Toast['tone'], text: string) => void;

/** Milliseconds for which a word in passing stays, as long as the seed's. */
const TOAST_MS = 10_000;

export function useToasts(): { readonly toasts: readonly Toast[]; readonly say: ShowToastFunction } {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const say = useCallback<ShowToastFunction>((tone, text) => {
    const id = ++last.current;
    setToasts((before) => [...before.slice(-3), { id, tone, text }]);
    timers.current.add(
      setTimeout(() => setToasts((before) => before.filter((each) => each.id !== id)), TOAST_MS),
    );
  }, []);
  return { toasts, say };
}

/** Read out as they come; what they say also stands somewhere on the page that stays. */
export function Toasts({ toasts }: { readonly toasts: readonly Toast[] }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, tone, text }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
