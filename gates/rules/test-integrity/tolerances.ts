import { codeOnly } from '../tests/strip.ts';

const NAMED =
  /\b(?:delta|abs|rel|abs_tol|rel_tol|atol|rtol|epsilon|EPSILON|eps|tolerance|TOLERANCE)[ \t]*[=:][ \t]*([\d.]{1,20}(?:e[-+]?\d{1,4})?)/g;
const COMPARED =
  /\babs\([^\n]{0,200}\)[ \t]*<=?[ \t]*([\d.]{1,20}(?:e[-+]?\d{1,4})?)|\.closeTo\([^\n]{0,200},[ \t]*([\d.]{1,20})[ \t]*\)|\bInDelta\([^\n]{0,200},[ \t]*([\d.]{1,20})[ \t]*[,)]/g;
const PLACES = /\btoBeCloseTo\([^\n,]{0,100},[ \t]*(\d{1,3})|\bplaces[ \t]*=[ \t]*(\d{1,3})/g;

/** How far off a value may be, for each comparison in a test file, in the order of the file. */
export function tolerancesOf(path: string, text: string): number[] {
  const code = codeOnly(path, text);
  const found: { readonly at: number; readonly value: number }[] = [];
  for (const pattern of [NAMED, COMPARED])
    for (const match of code.matchAll(pattern))
      found.push({ at: match.index, value: Number(match[1] ?? match[2] ?? match[3]) });
  for (const match of code.matchAll(PLACES))
    found.push({ at: match.index, value: 0.5 * 10 ** -Number(match[1] ?? match[2]) });
  return found.toSorted((a, b) => a.at - b.at).map(({ value }) => value);
}

/** Whether one of the tolerances that stayed has become wider. */
export const isWider = (before: readonly number[], after: readonly number[]): boolean =>
  before.length === after.length && after.some((value, index) => value > (before[index] ?? value));
