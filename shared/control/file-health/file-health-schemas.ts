import * as z from 'zod';
import { FILE_FLAG_REASONS, HEALTH_GRADES } from './health-score.ts';

const Score = z.number().int().min(0).max(100);
const MOST = 500;

export const FileHealthReport = z
  .object({
    repository: z.string(),
    path: z.string(),
    complexity_score: z.null().describe('Field of the source design; not measured here, so never a number.'),
    bug_density_score: Score.nullable(),
    coverage_score: z.null().describe('As complexity_score.'),
    churn_score: Score,
    coupling_score: z.null().describe('As complexity_score.'),
    findings_score: Score.nullable(),
    flaky_score: Score.nullable(),
    total: Score,
    grade: z.enum(HEALTH_GRADES),
    failure_touches: z.number().int().describe('Attempts that changed it and were rejected on evidence.'),
    success_touches: z.number().int().describe('Attempts that changed it and were accepted.'),
    reverts: z.number().int().describe('Accepted changes that were reverted in the target branch.'),
    last_updated: z.iso.datetime(),
    flagged: z.boolean(),
    flag_reason: z
      .enum(FILE_FLAG_REASONS)
      .nullable()
      .describe('`low`: below 60; `fell`: 10 less than before its latest touch. Null: it is not flagged.'),
  })
  .meta({ id: 'FileHealth' });

const RepositoryFilter = { repository: z.string().min(1).max(2_048).optional() };
export const FileHealthQuery = z.strictObject({
  ...RepositoryFilter,
  limit: z.coerce.number().int().min(1).max(MOST).default(50),
  min_score: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe('Maximum total score of a file: `min_score=60` lists those of 60 and less.'),
  grade: z.enum(HEALTH_GRADES).optional(),
});
export const FlaggedFilesQuery = z.strictObject(RepositoryFilter);
export const FileHistoryQuery = z.strictObject({ ...RepositoryFilter, path: z.string().min(1).max(4_096) });

export const FileHealthList = z
  .object({
    files: z.array(FileHealthReport).describe('Worst first.'),
    summary: z
      .object({
        total_tracked: z.number().int(),
        flagged_for_review: z.number().int(),
        avg_score: z.number().nullable().describe('Null: there is no file.'),
      })
      .describe('Over all that match, also beyond the limit.'),
    truncated: z.boolean().describe('More files exist than are listed; name a repository.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'FileHealthList' });

export const FlaggedFilesReport = z
  .object({ files: z.array(FileHealthReport), count: z.number().int(), generated_at: z.iso.datetime() })
  .meta({ id: 'FlaggedFiles' });

export const FileHistory = z
  .object({
    score: FileHealthReport,
    touch_history: z
      .array(
        z.object({
          timestamp: z.iso.datetime(),
          task_id: z.string(),
          path: z.string(),
          outcome: z.enum(['accepted', 'rejected', 'reverted']),
          previous_total: Score.nullable().describe('Null: it had no score before.'),
          new_total: Score,
          flagged: z.boolean(),
        }),
      )
      .describe('The latest twenty, newest first.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'FileHistory' });
