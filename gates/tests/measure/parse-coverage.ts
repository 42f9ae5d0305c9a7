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
  const candidates = [
    totals['percent_covered'],
    toJsonRecord(toJsonRecord(report['total'])['lines'])['pct'],
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

function fromLcov(text: string): number | null {
  let [hit, found] = [0, 0];
  for (const line of text.split('\n')) {
    if (line.startsWith('LH:')) hit += Number(line.slice(3));
    if (line.startsWith('LF:')) found += Number(line.slice(3));
  }
  return share(hit, found);
}

const share = (part: number, whole: number): number | null => (whole > 0 ? (part / whole) * 100 : null);

/** Percentage points between two measurements, after rounding to two places. */
export const computeCoverageDelta = (base: number, current: number): number =>
  Math.round((current - base) * 100) / 100 || 0;
