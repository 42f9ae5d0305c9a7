import type * as z from 'zod';
import type { FileHealth, FileHistory, FileList, FilesQuery } from './schemas.ts';
import { flagOf, gradeOf, scoresOf, totalOf } from './score.ts';
import { type FileState, LOOKED_AT, type Touch, type Touches, withTouch } from './state.ts';

export interface TouchedFile extends FileState {
  readonly repository: string;
  readonly path: string;
}
type Health = z.infer<typeof FileHealth>;
interface Step {
  readonly touch: Touch;
  readonly before: number | null;
  readonly total: number;
}

/** How the score went from touch to touch, the oldest first, as far back as is shown. */
function stepsOf({ earlier, latest }: FileState): Step[] {
  const steps: Step[] = [];
  let all: Touches = earlier;
  let before: number | null = null;
  for (const [index, touch] of latest.entries()) {
    all = withTouch(all, touch);
    const total = totalOf(scoresOf(all, latest.slice(0, index + 1), Date.parse(touch.at)));
    steps.push({ touch, before, total });
    before = total;
  }
  // What is before those shown was needed for what they looked back on.
  return steps.slice(-LOOKED_AT);
}

/** A file as it stands now: what lies back for long weighs less. */
export function healthOf(file: TouchedFile, now: Date): Health {
  const all = file.latest.reduce(withTouch, file.earlier);
  const scores = scoresOf(all, file.latest, now.getTime());
  const total = totalOf(scores);
  const last = stepsOf(file).at(-1);
  const flag_reason = flagOf(total, null) ?? (last ? flagOf(last.total, last.before) : null);
  return {
    repository: file.repository,
    path: file.path,
    complexity_score: null,
    coverage_score: null,
    coupling_score: null,
    ...scores,
    total,
    grade: gradeOf(total),
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

export const healthOfAll = (files: readonly TouchedFile[], now: Date): Health[] =>
  files.map((file) => healthOf(file, now)).sort(worstFirst);

/** avg_score = mean of the totals, to one decimal. */
export function listView(
  files: readonly TouchedFile[],
  { limit, min_score: most, grade }: z.infer<typeof FilesQuery>,
  truncated: boolean,
  now: Date,
): z.infer<typeof FileList> {
  const found = healthOfAll(files, now).filter(
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

export const historyView = (file: TouchedFile, now: Date): z.infer<typeof FileHistory> => ({
  score: healthOf(file, now),
  touch_history: stepsOf(file)
    .toReversed()
    .map(({ touch, before, total }) => ({
      timestamp: touch.at,
      // A record's id begins with its task's.
      task_id: touch.id.split('#')[0] ?? '',
      path: file.path,
      outcome: touch.outcome,
      previous_total: before,
      new_total: total,
      flagged: flagOf(total, before) !== null,
    })),
  generated_at: now.toISOString(),
});
