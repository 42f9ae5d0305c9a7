import { casesOf } from './cases.ts';
import { count } from './count.ts';

/**
 * How many of a file's skips belong to cases that were not there before: such a case protects nothing, and takes nothing away. None
 * where a case is gone, because the new one may be the old one under another name.
 */
export function newSkips(path: string, before: string, after: string): number {
  const had = new Set(casesOf(path, before).map(({ name }) => name));
  const cases = casesOf(path, after);
  const has = new Set(cases.map(({ name }) => name));
  if ([...had].some((name) => !has.has(name))) return 0;
  return cases
    .filter(({ name }) => name !== '' && !had.has(name))
    .reduce((sum, { text }) => sum + count(path, text).skips, 0);
}
