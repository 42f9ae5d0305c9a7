import type { Counts } from '../tests/count.ts';
import type { NativeTests } from './look.ts';
import type { NativeFile } from './model.ts';

interface Counted {
  readonly path: string;
  readonly text: '';
  readonly counts: Counts;
  readonly cases: readonly never[];
  readonly weaknesses: readonly never[];
}

const countsOf = ({ path, cases }: NativeFile): Counted => ({
  path,
  text: '',
  cases: [],
  weaknesses: [],
  counts: {
    cases: cases.length,
    assertions: cases.reduce((sum, { assertions }) => sum + assertions, 0),
    exact: cases.reduce((sum, { exact }) => sum + exact, 0),
    skips: cases.filter(({ skipped }) => skipped !== null).length,
    only: 0,
    exits: 0,
  },
});

/** Files with tests as the other languages have them, to be counted with theirs. */
export function nativeCounted({ before, after }: NativeTests): {
  readonly path: string;
  readonly before: Counted | null;
  readonly after: Counted | null;
}[] {
  const paths = new Set(
    [...before, ...after].filter(({ cases }) => cases.length > 0).map(({ path }) => path),
  );
  const side = (files: readonly NativeFile[], path: string): Counted | null => {
    const file = files.find((each) => each.path === path);
    return file ? countsOf(file) : null;
  };
  return [...paths].map((path) => ({ path, before: side(before, path), after: side(after, path) }));
}
