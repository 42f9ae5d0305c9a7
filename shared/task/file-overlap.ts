/** True when one path is the other, or a folder above it. */
const overlaps = (left: string, right: string): boolean => {
  const a = left.replace(/\/+$/, '');
  const b = right.replace(/\/+$/, '');
  return a === b || a === '.' || b === '.' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
};

/** The first file of `wanted` that `held` covers, or null. A folder covers everything below it. */
export const overlap = (wanted: readonly string[], held: readonly string[]): string | null =>
  wanted.find((path) => held.some((other) => overlaps(path, other))) ?? null;
