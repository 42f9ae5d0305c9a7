import type { FileChangeOutcomeRow } from '../ledger/record-rows.ts';

/** Something happened to a file. */
export interface FileChangeOutcome {
  /** Of its record: the same whenever it comes again. */
  readonly id: string;
  readonly at: string;
  readonly outcome: FileChangeOutcomeRow['outcome'];
  readonly findings: number;
  readonly flaky: number;
}

/** How often each happened. */
export type FileChangeOutcomeCounts = Readonly<Record<FileChangeOutcomeRow['outcome'], number>>;
export const NO_FILE_CHANGE_OUTCOME_COUNTS: FileChangeOutcomeCounts = {
  accepted: 0,
  rejected: 0,
  reverted: 0,
};

/** All that is known of a file: the latest touches one by one, those before as sums. It does not grow. */
export interface FileChangeOutcomeHistory {
  readonly earlier: FileChangeOutcomeCounts;
  /** The oldest first. */
  readonly latest: readonly FileChangeOutcome[];
}

/** Touches that a score looks back on, and that a history shows. */
export const SCORED_FILE_CHANGE_OUTCOMES = 20;
/** So many are kept that the score at each of those shown, and before the first of them, is known. */
export const MAX_KEPT_FILE_CHANGE_OUTCOMES = 2 * SCORED_FILE_CHANGE_OUTCOMES;

const byTime = (a: FileChangeOutcome, b: FileChangeOutcome): number =>
  a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1;

export const addFileChangeOutcomeCount = (
  sum: FileChangeOutcomeCounts,
  { outcome }: Pick<FileChangeOutcome, 'outcome'>,
): FileChangeOutcomeCounts => ({
  ...sum,
  [outcome]: sum[outcome] + 1,
});

/** Adds touches that are not in it yet, in whatever order they come. `left`: those that are part of the sums now. */
export function addFileChangeOutcomes(
  { earlier, latest }: FileChangeOutcomeHistory,
  fresh: readonly FileChangeOutcome[],
): { readonly state: FileChangeOutcomeHistory; readonly left: readonly FileChangeOutcome[] } {
  const all = [...latest, ...fresh].sort(byTime);
  const left = all.slice(0, Math.max(0, all.length - MAX_KEPT_FILE_CHANGE_OUTCOMES));
  return {
    state: { earlier: left.reduce(addFileChangeOutcomeCount, earlier), latest: all.slice(left.length) },
    left,
  };
}
