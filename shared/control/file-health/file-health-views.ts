import type * as z from 'zod';
import type { FileHealth, FileHealthList, FileHealthQuery, FileHistory } from './file-health-schemas.ts';
import {
  countTouch,
  type FileTouch,
  type FileTouchState,
  SCORED_TOUCHES,
  type TouchCounts,
} from './file-touches.ts';
import { flagReason, healthGrade, healthScores, totalHealthScore } from './health-score.ts';

export interface TrackedFile extends FileTouchState {
  readonly repository: string;
  readonly path: string;
}
type Health = z.infer<typeof FileHealth>;
interface ScoreStep {
  readonly touch: FileTouch;
  readonly before: number | null;
  readonly total: number;
}

/** How the score went from touch to touch, the oldest first, as far back as is shown. */
function scoreSteps({ earlier, latest }: FileTouchState): ScoreStep[] {
  const steps: ScoreStep[] = [];
  let all: TouchCounts = earlier;
  let before: number | null = null;
  for (const [index, touch] of latest.entries()) {
    all = countTouch(all, touch);
    const total = totalHealthScore(healthScores(all, latest.slice(0, index + 1), Date.parse(touch.at)));
    steps.push({ touch, before, total });
    before = total;
  }
  // What is before those shown was needed for what they looked back on.
  return steps.slice(-SCORED_TOUCHES);
}

/** A file as it stands now: what lies back for long weighs less. */
export function fileHealthView(file: TrackedFile, now: Date): Health {
  const all = file.latest.reduce(countTouch, file.earlier);
  const scores = healthScores(all, file.latest, now.getTime());
  const total = totalHealthScore(scores);
  const last = scoreSteps(file).at(-1);
  const flag_reason = flagReason(total, null) ?? (last ? flagReason(last.total, last.before) : null);
  return {
    repository: file.repository,
    path: file.path,
    complexity_score: null,
    coverage_score: null,
    coupling_score: null,
    ...scores,
    total,
    grade: healthGrade(total),
    failure_touches: all.rejected,
    success_touches: all.accepted,
    reverts: all.reverted,
    last_updated: last?.touch.at ?? now.toISOString(),
    flagged: flag_reason !== null,
    flag_reason,
  };
}

const worstFirst = (a: Health, b: Health): number =>
  a.total - b.total || (`${a.repository} ${a.path}` < `${b.repository} ${b.path}` ? -1 : 1);

export const fileHealthViews = (files: readonly TrackedFile[], now: Date): Health[] =>
  files.map((file) => fileHealthView(file, now)).sort(worstFirst);

/** avg_score = mean of the totals, to one decimal. */
export function fileHealthListView(
  files: readonly TrackedFile[],
  { limit, min_score: most, grade }: z.infer<typeof FileHealthQuery>,
  truncated: boolean,
  now: Date,
): z.infer<typeof FileHealthList> {
  const found = fileHealthViews(files, now).filter(
    (each) => (most === undefined || each.total <= most) && (grade === undefined || each.grade === grade),
  );
  const sum = found.reduce((all, { total }) => all + total, 0);
  return {
    files: found.slice(0, limit),
    summary: {
      total_tracked: found.length,
      flagged_for_review: found.filter(({ flagged }) => flagged).length,
      avg_score: found.length === 0 ? null : Math.round((10 * sum) / found.length) / 10,
    },
    truncated,
    generated_at: now.toISOString(),
  };
}

export const fileHistoryView = (file: TrackedFile, now: Date): z.infer<typeof FileHistory> => ({
  score: fileHealthView(file, now),
  touch_history: scoreSteps(file)
    .toReversed()
    .map(({ touch, before, total }) => ({
      timestamp: touch.at,
      // A record's id begins with its task's.
      task_id: touch.id.split('#')[0] ?? '',
      path: file.path,
      outcome: touch.outcome,
      previous_total: before,
      new_total: total,
      flagged: flagReason(total, before) !== null,
    })),
  generated_at: now.toISOString(),
});
