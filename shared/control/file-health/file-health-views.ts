import type * as z from 'zod';
import {
  addFileChangeOutcomeCount,
  type FileChangeOutcome,
  type FileChangeOutcomeCounts,
  type FileChangeOutcomeHistory,
  SCORED_FILE_CHANGE_OUTCOMES,
} from './file-change-outcomes.ts';
import type {
  FileHealthList,
  FileHealthQuery,
  FileHealthReport,
  FileHistory,
} from './file-health-schemas.ts';
import { computeHealthScores, findFileFlagReason, healthGrade, totalHealthScore } from './health-score.ts';

export interface HealthTrackedFile extends FileChangeOutcomeHistory {
  readonly repository: string;
  readonly path: string;
}
type Health = z.infer<typeof FileHealthReport>;
interface ScoreStep {
  readonly touch: FileChangeOutcome;
  readonly before: number | null;
  readonly total: number;
}

/** How the score went from touch to touch, the oldest first, as far back as is shown. */
function scoreSteps({ earlier, latest }: FileChangeOutcomeHistory): ScoreStep[] {
  const steps: ScoreStep[] = [];
  let all: FileChangeOutcomeCounts = earlier;
  let before: number | null = null;
  for (const [index, touch] of latest.entries()) {
    all = addFileChangeOutcomeCount(all, touch);
    const total = totalHealthScore(
      computeHealthScores(all, latest.slice(0, index + 1), Date.parse(touch.at)),
    );
    steps.push({ touch, before, total });
    before = total;
  }
  // What is before those shown was needed for what they looked back on.
  return steps.slice(-SCORED_FILE_CHANGE_OUTCOMES);
}

/** A file as it stands now: what lies back for long weighs less. */
export function buildFileHealthReport(file: HealthTrackedFile, now: Date): Health {
  const all = file.latest.reduce(addFileChangeOutcomeCount, file.earlier);
  const scores = computeHealthScores(all, file.latest, now.getTime());
  const total = totalHealthScore(scores);
  const last = scoreSteps(file).at(-1);
  const flag_reason =
    findFileFlagReason(total, null) ?? (last ? findFileFlagReason(last.total, last.before) : null);
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

export const buildFileHealthReports = (files: readonly HealthTrackedFile[], now: Date): Health[] =>
  files.map((file) => buildFileHealthReport(file, now)).sort(worstFirst);

/** avg_score = mean of the totals, to one decimal. */
export function buildFileHealthList(
  files: readonly HealthTrackedFile[],
  { limit, min_score: most, grade }: z.infer<typeof FileHealthQuery>,
  truncated: boolean,
  now: Date,
): z.infer<typeof FileHealthList> {
  const found = buildFileHealthReports(files, now).filter(
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

export const buildFileHealthHistory = (file: HealthTrackedFile, now: Date): z.infer<typeof FileHistory> => ({
  score: buildFileHealthReport(file, now),
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
      flagged: findFileFlagReason(total, before) !== null,
    })),
  generated_at: now.toISOString(),
});
