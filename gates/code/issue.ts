import type { Seen } from './seen.ts';

/** Something wrong in one file. */
export interface Issue {
  readonly rule: string;
  /** What it is about, wherever it stands: the same key before and after is the same issue. */
  readonly key: string;
  readonly line: number;
  readonly message: string;
  /** It is worth knowing, and no reason to fail. */
  readonly reported?: boolean;
}

/** Issues of the new version; those that the old version has too, as often, were there before. */
export function compared(file: string, before: readonly Issue[], after: readonly Issue[]): Seen[] {
  const left = new Map<string, number>();
  for (const { rule, key } of before) left.set(`${rule} ${key}`, (left.get(`${rule} ${key}`) ?? 0) + 1);
  return after.map(({ rule, key, line, message, reported }) => {
    const count = left.get(`${rule} ${key}`) ?? 0;
    left.set(`${rule} ${key}`, count - 1);
    return { file, line, rule, message, weight: count > 0 ? 'before' : reported ? 'reported' : 'fails' };
  });
}
