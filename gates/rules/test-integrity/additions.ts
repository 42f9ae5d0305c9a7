import type { Seen } from '../../code/seen.ts';
import { newSkips } from '../tests/new-skips.ts';
import type { TestFile, TestSide } from './protection.ts';
import { isWider, tolerancesOf } from './tolerances.ts';

const COUNTED = [
  ['skips', 'test_skipped', 'more tests that are left out, or whose failure does not count'],
  ['only', 'test_focused', 'more tests that make the runner leave out all others'],
  ['exits', 'test_ends_process', 'more ways to end the process before all tests have run'],
] as const;

/** What the patch puts into tests to make them say yes more easily. What the tests had before does not count. */
export function addedWeakness(files: readonly TestFile[]): Seen[] {
  const seen: Seen[] = [];
  for (const [key, rule, message] of COUNTED) {
    const grown = files.filter(({ before, after }) => (after?.counts[key] ?? 0) > (before?.counts[key] ?? 0));
    const moved = total(files, 'after', key) <= total(files, 'before', key);
    for (const { path, before, after } of grown)
      seen.push({
        file: path,
        line: null,
        rule,
        message,
        weight: moved || (key === 'skips' && onlyNew(before, after)) ? 'reported' : 'fails',
      });
  }
  const known = new Map<string, number>();
  for (const { before } of files)
    for (const { rule } of before?.weaknesses ?? []) known.set(rule, (known.get(rule) ?? 0) + 1);
  for (const file of files)
    for (const weakness of file.after?.weaknesses ?? []) {
      const left = known.get(weakness.rule) ?? 0;
      if (left > 0) known.set(weakness.rule, left - 1);
      else
        seen.push({
          ...weakness,
          file: file.path,
          weight:
            weakness.rule === 'test_too_large' ? 'unclear' : isOfNew(weakness, file) ? 'reported' : 'fails',
        });
    }
  for (const { path, before, after } of files)
    if (before && after && isWider(tolerances(before), tolerances(after)))
      seen.push({
        file: path,
        line: null,
        rule: 'tolerance_widened',
        message: 'a comparison lets more pass than before',
        weight: 'fails',
      });
  return seen;
}

/** A new test that is skipped protects nothing, and takes nothing away. */
const onlyNew = (before: TestSide | null, after: TestSide | null): boolean =>
  before === null ||
  (after !== null &&
    after.counts.skips - newSkips(after.path, before.text, after.text) <= before.counts.skips);

/** A new test that is left out somewhere takes nothing away either, unless it may be the old one under another name. */
function isOfNew({ rule, line }: { readonly rule: string; readonly line: number }, file: TestFile): boolean {
  if (rule !== 'test_depends_on_environment') return false;
  const had = new Set((file.before?.cases ?? []).map(({ name }) => name));
  const cases = file.after?.cases ?? [];
  if ([...had].some((name) => !cases.some((each) => each.name === name))) return false;
  return cases.some(
    (each) => !had.has(each.name) && each.line <= line && line < each.line + each.text.split('\n').length,
  );
}

const tolerances = ({ path, text }: TestSide): number[] => tolerancesOf(path, text);

const total = (
  files: readonly TestFile[],
  side: 'before' | 'after',
  key: 'skips' | 'only' | 'exits',
): number => files.reduce((sum, file) => sum + (file[side]?.counts[key] ?? 0), 0);
