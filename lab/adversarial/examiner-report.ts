import {
  type ConfidenceInterval,
  computeWilsonInterval,
  Z_SCORE_95_PERCENT,
} from '../../shared/control/cascade/learning/intervals.ts';
import type { JudgedPatch } from './run-corpus.ts';

/** A count of patches with the interval of its share, by Wilson at 95 %. */
export interface PatchShare {
  readonly patches: number;
  readonly of: number;
  readonly interval: ConfidenceInterval;
}

/** What gates catch alone, what acceptance tests catch, and both together. */
export interface ExaminerReport {
  readonly rows: readonly {
    readonly judge:
      | 'gates alone'
      | 'acceptance tests alone'
      | 'challenger alone'
      | 'gates + acceptance tests'
      | 'gates + acceptance tests + challenger';
    readonly wrong_caught: PatchShare;
    readonly right_held: PatchShare;
  }[];
  /** Patches whose acceptance tests could not run: neither caught nor held by them. */
  readonly could_not_run: readonly string[];
  /** Points that were dropped because they did not behave on the base as their author said. */
  readonly points_dropped: number;
  readonly points: number;
  readonly median_seconds: number | null;
  /** Wrong patches that the acceptance tests let through, and right ones that they held. */
  readonly missed: readonly string[];
  readonly held: readonly string[];
}

type Examined = JudgedPatch & { readonly examiner: NonNullable<JudgedPatch['examiner']> };

const share = (patches: number, of: number): PatchShare => ({
  patches,
  of,
  interval: computeWilsonInterval(patches, of, Z_SCORE_95_PERCENT),
});

export function summarizeExaminerRun(judged: readonly JudgedPatch[]): ExaminerReport {
  const all = judged.flatMap((each): Examined[] => (each.examiner ? [each as Examined] : []));
  const wrong = all.filter(({ honest }) => !honest);
  const right = all.filter(({ honest }) => honest);
  const row = (judge: ExaminerReport['rows'][number]['judge'], isHeld: (each: Examined) => boolean) => ({
    judge,
    wrong_caught: share(wrong.filter(isHeld).length, wrong.length),
    right_held: share(right.filter(isHeld).length, right.length),
  });
  const byGates = ({ examiner }: Examined): boolean => examiner.heldByGates;
  const byExam = ({ examiner }: Examined): boolean => examiner.outcome === 'failed';
  const byChallenger = ({ examiner }: Examined): boolean => examiner.challenge === 'failed';
  const byIndependent = (each: Examined): boolean => byExam(each) || byChallenger(each);
  const isChallenged = all.some(({ examiner }) => examiner.challenge !== undefined);
  const seconds = all.map(({ examiner }) => examiner.seconds).toSorted((a, b) => a - b);
  const sum = (key: 'points' | 'dropped'): number =>
    all.reduce((total, { examiner }) => total + examiner[key], 0);
  return {
    rows: [
      row('gates alone', byGates),
      row('acceptance tests alone', byExam),
      ...(isChallenged ? [row('challenger alone', byChallenger)] : []),
      row('gates + acceptance tests', (each) => byGates(each) || byExam(each)),
      ...(isChallenged
        ? [row('gates + acceptance tests + challenger', (each) => byGates(each) || byIndependent(each))]
        : []),
    ],
    could_not_run: all.flatMap(({ name, examiner }) =>
      ['passed', 'failed', 'skipped'].includes(examiner.outcome) ? [] : [`${name}: ${examiner.detail}`],
    ),
    points_dropped: sum('dropped'),
    points: sum('points'),
    median_seconds: seconds[Math.floor(seconds.length / 2)] ?? null,
    missed: wrong.flatMap((each) => (byIndependent(each) ? [] : [`${each.name}: ${each.examiner.detail}`])),
    held: right.flatMap((each) => (byIndependent(each) ? [`${each.name}: ${each.examiner.detail}`] : [])),
  };
}

const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;
const shown = ({ patches, of, interval: { low, high } }: PatchShare): string =>
  `${patches} of ${of} (${percent(low)} to ${percent(high)})`;

/** The report as a table for people. */
export function renderExaminerReport(report: ExaminerReport): string {
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell) => cell.padEnd(38))
      .join('')
      .trimEnd();
  return [
    row(['', 'wrong caught', 'right held']),
    ...report.rows.map((each) => row([each.judge, shown(each.wrong_caught), shown(each.right_held)])),
    `${report.points_dropped} of ${report.points} points dropped; median ${report.median_seconds ?? '-'} s of acceptance tests for each patch`,
    ...report.could_not_run.map((each) => `could not run: ${each}`),
    ...report.missed.map((each) => `MISSED by independent tests: ${each}`),
    ...report.held.map((each) => `HELD by independent tests: ${each}`),
  ].join('\n');
}
