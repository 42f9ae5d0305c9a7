import { DETECTOR_SEVERITIES } from './detector.ts';

interface Ranked {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
  readonly severity: (typeof DETECTOR_SEVERITIES)[number];
}

/** By severity, then by how sure the detector is, then by length: the first in a place is kept. */
const better = (a: Ranked, b: Ranked): number =>
  DETECTOR_SEVERITIES.indexOf(b.severity) - DETECTOR_SEVERITIES.indexOf(a.severity) ||
  a.rank - b.rank ||
  b.end - b.start - (a.end - a.start);

/** One finding for each place: of those that overlap, the best; in the order of the text. */
export function keepBestMatches<T extends Ranked>(seen: readonly T[]): T[] {
  const inOrder = [...seen].sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: T[] = [];
  for (const each of inOrder) {
    const last = kept.at(-1);
    if (!last || last.end <= each.start) kept.push(each);
    else if (better(each, last) < 0) kept[kept.length - 1] = each;
  }
  return kept;
}
