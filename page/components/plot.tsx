import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { rangeOfAtLeastAWeek } from './week-range.ts';

export interface LinePlotSeries {
  readonly name: string;
  /** One for each point in time; null: no data, drawn as a gap. */
  readonly values: readonly (number | null)[];
  /** Whether it is a limit that the others are compared with. */
  readonly isThreshold?: boolean;
}

interface Props {
  /** Seconds of Unix time. */
  readonly times: readonly number[];
  readonly lines: readonly LinePlotSeries[];
  readonly show: (value: number | null) => string;
}

/** Dashes distinguish the lines for readers who do not see the colours. */
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5]];
/** A colour of the style sheet as a canvas takes it: the variable itself may still name two, for light and dark. */
function colour(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const found = getComputedStyle(element).color;
  element.style.color = '';
  return found;
}
const NAMES = ['--link', '--good', '--warn', '--bad', '--dim'] as const;

const HEIGHT = 220;
const DARK = '(prefers-color-scheme: dark)';
const DAY = 86_400;
/** Between two marks of the time axis: what is shown is by day. */
const DAYS = [1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY);
/** Formats a day in the reader's locale; days are those of UTC. */
const dayOf = (seconds: number): string =>
  new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    seconds * 1_000,
  );

/** Draws into an element; the library asks the browser for things when it is loaded, which not every browser knows. */
async function draw(element: HTMLElement, { times, lines, show }: Props): Promise<uPlot> {
  const { default: Chart } = await import('uplot');
  const ink = colour(element, '--dim');
  const grid = colour(element, '--line');
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
  return new Chart(
    {
      width: Math.max(280, element.clientWidth),
      height: HEIGHT,
      cursor: { drag: { x: false, y: false } },
      legend: { show: lines.length > 1 },
      // Of the times themselves: the library hands over an end that it has made up where there is one only.
      scales: { x: { range: () => rangeOfAtLeastAWeek(times[0] ?? 0, times.at(-1) ?? 0) } },
      tzDate: (seconds) => Chart.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      axes: [
        { ...axis, incrs: DAYS, values: (_, ticks) => ticks.map(dayOf) },
        { ...axis, size: 70, values: (_, ticks) => ticks.map(show) },
      ],
      series: [
        {
          label: 'Day',
          value: (_: uPlot, seconds: number | null) => dayOf(seconds ?? times.at(-1) ?? 0),
        },
        ...lines.map((line, index) => ({
          label: line.name,
          stroke: colour(element, line.isThreshold ? '--bad' : (NAMES[index % NAMES.length] ?? '--link')),
          width: 2,
          dash: line.isThreshold ? [4, 4] : (DASHES[index % DASHES.length] ?? []),
          points: { show: !line.isThreshold, size: 6 },
          // Without a pointer: the latest value.
          value: (_: uPlot, value: number | null, _line: number, index: number | null) =>
            show(index === null ? (line.values.at(-1) ?? null) : value),
        })),
      ],
    },
    [[...times], ...lines.map(({ values }) => [...values])],
    element,
  );
}

/** Returns whether the theme is dark; a canvas keeps its colours, so it is drawn again when this changes. */
function useDark(): boolean {
  const [dark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const tell = (): void => setDark(query.matches);
    query.addEventListener('change', tell);
    return () => query.removeEventListener('change', tell);
  }, []);
  return dark;
}

/** Lines over time, hidden from screen readers: the same numbers are in a table below. */
export function LinePlot({ times, lines, show }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [trouble, setTrouble] = useState('');
  const dark = useDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read while it is drawn
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let over = false;
    let plot: uPlot | undefined;
    const watch = new ResizeObserver(() =>
      plot?.setSize({ width: Math.max(280, element.clientWidth), height: HEIGHT }),
    );
    draw(element, { times, lines, show }).then(
      (drawn) => {
        if (over) return drawn.destroy();
        plot = drawn;
        watch.observe(element);
      },
      (error: Error) =>
        setTrouble(`The plot cannot be drawn here (${error.message}); its numbers are below.`),
    );
    return () => {
      over = true;
      watch.disconnect();
      plot?.destroy();
    };
  }, [times, lines, show, dark]);
  return (
    <>
      <p class="trouble">{trouble}</p>
      <div class="plot" ref={frame} aria-hidden="true" />
    </>
  );
}
