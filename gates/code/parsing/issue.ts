import type { Seen } from '../../core/seen.ts';
import { ThereBefore } from './there-before.ts';

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
  const known = new ThereBefore(before.map(({ rule, key }) => `${rule} ${key}`));
  return after.map(({ rule, key, line, message, reported }) => {
    const isOld = known.take(`${rule} ${key}`);
    return { file, line, rule, message, weight: isOld ? 'before' : reported ? 'reported' : 'fails' };
  });
}
