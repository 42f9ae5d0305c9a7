import type { FileRow } from '../ledger/rows.ts';

/** Something happened to a file. */
export interface Touch {
  /** Of its record: the same whenever it comes again. */
  readonly id: string;
  readonly at: string;
  readonly outcome: FileRow['outcome'];
  readonly findings: number;
  readonly flaky: number;
}

/** How often each happened. */
export type Touches = Readonly<Record<FileRow['outcome'], number>>;
export const NO_TOUCHES: Touches = { accepted: 0, rejected: 0, reverted: 0 };

/** All that is known of a file: the latest touches one by one, those before as sums. It does not grow. */
export interface FileState {
  readonly earlier: Touches;
  /** The oldest first. */
  readonly latest: readonly Touch[];
}
export const UNTOUCHED: FileState = { earlier: NO_TOUCHES, latest: [] };

/** Touches that a score looks back on, and that a history shows. */
export const LOOKED_AT = 20;
/** So many are kept that the score at each of those shown, and before the first of them, is known. */
export const KEPT = 2 * LOOKED_AT;

const inOrder = (a: Touch, b: Touch): number => (a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1);

export const withTouch = (sum: Touches, { outcome }: Pick<Touch, 'outcome'>): Touches => ({
  ...sum,
  [outcome]: sum[outcome] + 1,
});

/** Adds touches that are not in it yet, in whatever order they come. `left`: those that are part of the sums now. */
export function touched(
  { earlier, latest }: FileState,
  fresh: readonly Touch[],
): { readonly state: FileState; readonly left: readonly Touch[] } {
  const all = [...latest, ...fresh].sort(inOrder);
  const left = all.slice(0, Math.max(0, all.length - KEPT));
  return {
    state: { earlier: left.reduce(withTouch, earlier), latest: all.slice(left.length) },
    left,
  };
}
