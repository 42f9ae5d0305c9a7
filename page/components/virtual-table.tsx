import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props<T> {
  readonly items: readonly T[];
  /** Of every row, in pixels. */
  readonly rowHeight: number;
  /** Index of the row that must be seen. */
  readonly selected: number;
  readonly row: (item: T, index: number) => ComponentChildren;
  readonly head: ComponentChildren;
  readonly label: string;
}

/** Rows beyond what is seen that are made all the same, so that scrolling shows no gaps. */
const SPARE = 12;

/** A table of which only the rows in sight are in the document, however many there are. */
export function VirtualTable<T>({ items, rowHeight, selected, row, head, label }: Props<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (!element || selected < 0) return;
    const top = selected * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    // The head stays in sight, and takes a row's place.
    const most = element.scrollTop + element.clientHeight - 2 * rowHeight;
    if (top > most) element.scrollTop += top - most;
  }, [selected, rowHeight]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  const gap = (rows: number) =>
    rows > 0 && (
      <tr>
        <td class="gap" style={{ height: `${rows * rowHeight}px` }} />
      </tr>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="rows" ref={frame} tabIndex={0} aria-label={label}>
      <table aria-rowcount={items.length + 1}>
        <thead>{head}</thead>
        <tbody>
          {gap(first)}
          {items.slice(first, last).map((item, index) => row(item, first + index))}
          {gap(items.length - last)}
        </tbody>
      </table>
    </section>
  );
}
