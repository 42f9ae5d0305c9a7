import type { FileTouchRow } from '../ledger/record-rows.ts';

/** Something happened to a file. */
export interface FileTouch {
  /** Of its record: the same whenever it comes again. */
  readonly id: string;
  readonly at: string;
  readonly outcome: FileTouchRow['outcome'];
  readonly findings: number;
  readonly flaky: number;
}

/** How often each happened. */
export type TouchCounts = Readonly<Record<FileTouchRow['outcome'], number>>;
export const NO_TOUCH_COUNTS: TouchCounts = { accepted: 0, rejected: 0, reverted: 0 };

/** All that is known of a file: the latest touches one by one, those before as sums. It does not grow. */
export interface FileTouchState {
  readonly earlier: TouchCounts;
  /** The oldest first. */
  readonly latest: readonly FileTouch[];
}
export const EMPTY_TOUCH_STATE: FileTouchState = { earlier: NO_TOUCH_COUNTS, latest: [] };

/** Touches that a score looks back on, and that a history shows. */
export const SCORED_TOUCHES = 20;
/** So many are kept that the score at each of those shown, and before the first of them, is known. */
export const MAX_KEPT_TOUCHES = 2 * SCORED_TOUCHES;

const byTime = (a: FileTouch, b: FileTouch): number =>
  a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1;

export const countTouch = (sum: TouchCounts, { outcome }: Pick<FileTouch, 'outcome'>): TouchCounts => ({
  ...sum,
  [outcome]: sum[outcome] + 1,
});

/** Adds touches that are not in it yet, in whatever order they come. `left`: those that are part of the sums now. */
export function addTouches(
  { earlier, latest }: FileTouchState,
  fresh: readonly FileTouch[],
): { readonly state: FileTouchState; readonly left: readonly FileTouch[] } {
  const all = [...latest, ...fresh].sort(byTime);
  const left = all.slice(0, Math.max(0, all.length - MAX_KEPT_TOUCHES));
  return {
    state: { earlier: left.reduce(countTouch, earlier), latest: all.slice(left.length) },
    left,
  };
}
