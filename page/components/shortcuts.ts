import { useEffect } from 'preact/hooks';

export interface Shortcut {
  /** As `KeyboardEvent.key` has it, or two after each other: `g b`. */
  readonly keys: string;
  readonly description: string;
  readonly run: () => void;
}

const KEPT = 'assay-shortcuts';
let on = readOn();
/** The first key of two, and until when it counts, in milliseconds. */
let first = { key: '', until: 0 };

function readOn(): boolean {
  try {
    return localStorage.getItem(KEPT) !== 'off';
  } catch {
    return true;
  }
}
export const hasShortcutsEnabled = (): boolean => on;
/** Whoever speaks to the computer may want none: WCAG 2.1.4. */
export function setShortcutsEnabled(wanted: boolean): void {
  on = wanted;
  try {
    localStorage.setItem(KEPT, wanted ? 'on' : 'off');
  } catch {
    // It then holds for this page alone.
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Listens while the part that has these is on the page; never while somebody types, or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!on || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const both = event.timeStamp < first.until ? `${first.key} ${event.key}` : event.key;
      const found = shortcuts.find(({ keys }) => keys === both);
      if (found) {
        event.preventDefault();
        found.run();
      } else if (shortcuts.some(({ keys }) => keys.startsWith(`${event.key} `)))
        first = { key: event.key, until: event.timeStamp + 1_500 };
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [shortcuts]);
}
