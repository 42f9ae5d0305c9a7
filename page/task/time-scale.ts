import type { TimeSpan } from './time-spans.ts';

/** A wait is drawn no longer than this share of all the work: whoever waits for days would hide what took minutes. */
const LONGEST_WAIT = 0.15;

export interface TimeScale {
  /** Where a moment is drawn, 0 to 1. */
  readonly positionOf: (ms: number) => number;
  /** Are there waits that are drawn shorter than they were? */
  readonly hasShortenedWaits: boolean;
}

const isWork = ({ kind }: TimeSpan): boolean => kind !== 'waiting' && kind !== 'person';

/** Stretches in which somebody worked, in their order and without overlaps. */
function workOf(spans: readonly TimeSpan[], now: number): { from: number; to: number }[] {
  const merged: { from: number; to: number }[] = [];
  const sorted = spans
    .filter(isWork)
    .map(({ start, end }) => ({ from: start, to: end ?? Math.max(start, now) }))
    .sort((one, other) => one.from - other.from);
  for (const each of sorted) {
    const last = merged.at(-1);
    if (last && each.from <= last.to) last.to = Math.max(last.to, each.to);
    else merged.push(each);
  }
  return merged;
}

/** How time is drawn: work as long as it took, and waits as long as they took up to a part of it. */
export function createTimeScale(
  spans: readonly TimeSpan[],
  first: number,
  last: number,
  now: number,
): TimeScale {
  const work = workOf(spans, now);
  const worked = work.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = worked === 0 ? Number.POSITIVE_INFINITY : worked * LONGEST_WAIT;
  /** Pairs of a moment and where it is drawn, before it is made a share. */
  const marks: [number, number][] = [[first, 0]];
  let isCut = false;
  const go = (to: number, most: number): void => {
    const [from, drawn] = marks.at(-1) as [number, number];
    if (to <= from) return;
    if (to - from > most) isCut = true;
    marks.push([to, drawn + Math.min(to - from, most)]);
  };
  for (const { from, to } of work) {
    go(from, longest);
    go(to, Number.POSITIVE_INFINITY);
  }
  go(last, longest);
  const whole = Math.max(1, marks.at(-1)?.[1] ?? 1);
  return {
    hasShortenedWaits: isCut,
    positionOf: (ms) => {
      const next = marks.findIndex(([moment]) => moment >= ms);
      if (next <= 0) return next === 0 ? 0 : 1;
      const [from, start] = marks[next - 1] as [number, number];
      const [to, end] = marks[next] as [number, number];
      return (start + ((ms - from) / (to - from)) * (end - start)) / whole;
    },
  };
}
