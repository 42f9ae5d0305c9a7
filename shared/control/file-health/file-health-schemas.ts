import * as z from 'zod';
import { FILE_FLAG_REASONS, HEALTH_GRADES } from './health-score.ts';

const Score = z.number().int().min(0).max(100);
const MOST = 500;

export const FileHealthReport = z
  .object({
    repository: z.string(),
    path: z.string(),
    complexity_score: z.null().describe('Of the seed; not measured here, so never a number.'),
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
    reverts: z.number().int().describe('Accepted ones that were reverted where they were delivered to.'),
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
    .describe(
      "The most that a file's total may be, as the seed has it: `min_score=60` are those of 60 and less.",
    ),
  grade: z.enum(HEALTH_GRADES).optional(),
});
export const FlaggedFilesQuery = z.strictObject(RepositoryFilter);
export const FileHistoryQuery = z.strictObject({ ...RepositoryFilter, path: z.string().min(1).max(4_096) });

export const FileHealthList = z
  .object({
    files: z.array(FileHealthReport).describe('The worst first.'),
    summary: z
      .object({
        total_tracked: z.number().int(),
        flagged_for_review: z.number().int(),
        avg_score: z.number().nullable().describe('Null of no file.'),
      })
      .describe('Of all that match, also of those beyond the limit.'),
    truncated: z.boolean().describe('There are more files than are looked at; name a repository.'),
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
          previous_total: Score.nullable().describe('Null: nothing was known of it before.'),
          new_total: Score,
          flagged: z.boolean(),
        }),
      )
      .describe('The latest twenty, the newest first.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'FileHistory' });
