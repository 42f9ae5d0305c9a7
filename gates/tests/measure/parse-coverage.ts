import { toJsonList, toJsonRecord } from '../../reports/tool-report.ts';

/**
 * Covered lines (for Go: statements) in percent, from the JSON of coverage.py, the summary of Istanbul's kin (c8, vitest, jest),
 * the JSON of cargo-llvm-cov, LCOV, Go's profile, or a bare number with or without a percent sign.
 * @throws when the text is nothing of these, or nothing was measured.
 */
export function parseCoverage(text: string): number {
  const trimmed = text.trim();
  const bare = /^(\d{1,3}(?:\.\d{1,15})?) ?%?$/.exec(trimmed);
  const percent = bare
    ? Number(bare[1])
    : trimmed.startsWith('{')
      ? fromJson(toJsonRecord(JSON.parse(trimmed)))
      : trimmed.startsWith('mode:')
        ? fromGo(trimmed)
        : fromLcov(trimmed);
  if (percent === null || !Number.isFinite(percent) || percent < 0 || percent > 100)
    throw new Error('nothing was measured');
  return percent;
}

function fromJson(report: Readonly<Record<string, unknown>>): number | null {
  const totals = toJsonRecord(report['totals']);
  const [covered, statements] = [totals['covered_lines'], totals['num_statements']];
  if (typeof covered === 'number' && typeof statements === 'number') return share(covered, statements);
  const lines = toJsonRecord(toJsonRecord(report['total'])['lines']);
  // Of no line at all, the percentage is the word "Unknown".
  if (lines['pct'] === 'Unknown' || lines['total'] === 0) throw new Error('no line was measured');
  const candidates = [
    totals['percent_covered'],
    lines['pct'],
    toJsonRecord(toJsonRecord(toJsonRecord(toJsonList(report['data'])[0])['totals'])['lines'])['percent'],
  ];
  return candidates.find((each) => typeof each === 'number') ?? null;
}

/** A block that several packages' tests run is listed several times; it is covered when one of them covers it. */
function fromGo(text: string): number | null {
  const blocks = new Map<string, { readonly statements: number; readonly covered: boolean }>();
  for (const line of text.split('\n')) {
    const [place, statements, count] = line.split(' ');
    if (place === undefined || statements === undefined || count === undefined) continue;
    const covered = Number(count) > 0 || (blocks.get(place)?.covered ?? false);
    blocks.set(place, { statements: Number(statements), covered });
  }
  const all = [...blocks.values()];
  const sum = (which: readonly { readonly statements: number }[]): number =>
    which.reduce((total, { statements }) => total + statements, 0);
  return share(sum(all.filter(({ covered }) => covered)), sum(all));
}

/** Coverage of one file, from all of its records. */
interface LcovFile {
  /** Hits by line, where lines are listed. */
  readonly lines: Map<number, number>;
  /** Totals of records that list no line. */
  hit: number;
  found: number;
}

/** Hits of a line in several records of its file are added; totals count only where a file lists no line. */
function fromLcov(text: string): number | null {
  const files = new Map<string, LcovFile>();
  let file: LcovFile = { lines: new Map(), hit: 0, found: 0 };
  let totals = { hit: 0, found: 0 };
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', value = ''] = /^(SF|DA|LH|LF|end_of_record)(?::([^\n]{0,4096}))?$/.exec(line) ?? [];
    if (key === 'SF') {
      file = files.get(value) ?? { lines: new Map(), hit: 0, found: 0 };
      files.set(value, file);
      totals = { hit: 0, found: 0 };
    } else if (key === 'DA') {
      const [number, hits] = value.split(',').map(Number);
      if (number === undefined || hits === undefined || !Number.isFinite(number + hits))
        throw new Error(`a line of the coverage cannot be read: ${line.slice(0, 100)}`);
      file.lines.set(number, (file.lines.get(number) ?? 0) + hits);
    } else if (key === 'LH') totals.hit = Number(value);
    else if (key === 'LF') totals.found = Number(value);
    else if (key === 'end_of_record') {
      file.hit = Math.max(file.hit, totals.hit);
      file.found = Math.max(file.found, totals.found);
    }
  }
  let [hit, found] = [0, 0];
  for (const { lines, hit: hitTotal, found: foundTotal } of files.values()) {
    hit += lines.size === 0 ? hitTotal : [...lines.values()].filter((hits) => hits > 0).length;
    found += lines.size === 0 ? foundTotal : lines.size;
  }
  return share(hit, found);
}

const share = (part: number, whole: number): number | null => (whole > 0 ? (part / whole) * 100 : null);

/** Percentage points between two measurements, after rounding to two places. */
export const computeCoverageDelta = (base: number, current: number): number =>
  Math.round((current - base) * 100) / 100 || 0;
