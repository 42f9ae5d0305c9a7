/** US dollars; null is an unknown cost, which is never shown as 0. */
export function formatDollars(amount: number | null): string {
  if (amount === null) return 'unknown';
  const sign = amount < 0 ? '-' : '';
  const size = Math.abs(amount);
  return `${sign}$${size.toFixed(size !== 0 && size < 0.1 ? 4 : 2)}`;
}

/** Dollars of which a part is an estimate, which is an upper bound: `≤ $0.52, estimated`. Null is unknown. */
export const formatCost = (amount: number | null, estimated: number): string =>
  amount !== null && estimated > 0 ? `≤ ${formatDollars(amount)}, estimated` : formatDollars(amount);

/** A share between 0 and 1 as whole percent, cut off and not rounded: 0.999 is not yet 100 %. */
export const formatPercent = (ratio: number): string => `${Math.trunc(ratio * 100 + 1e-9)}%`;

/** Milliseconds as `850 ms`, `4.2 s`, `3 m 05 s`, `2 h 10 m`, `5 d 3 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long ago an ISO time was, at most two units. */
export const formatAge = (iso: string, now: number): string =>
  formatDuration(Math.max(0, now - Date.parse(iso)));

/** `1 task`, `2 tasks`. */
export const formatCount = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;
