import * as z from 'zod';

const Ratio = z.number().min(0).max(1).nullable().describe('0 to 1; null: there is nothing to divide by.');
const Seconds = z.number().nullable();
const DurationStatistics = z.object({
  total_tasks: z.number().int(),
  success_rate: Ratio,
  avg_completion_seconds: Seconds,
  p50_completion_seconds: Seconds,
  p90_completion_seconds: Seconds,
  p99_completion_seconds: Seconds,
});
export const ModelQuality = DurationStatistics.extend({
  avg_tokens: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
  cost_usd: z.number().nullable().describe('Over the attempts with a known cost; null: of none.'),
  cost_unknown: z.number().int().describe('Attempts with an unknown cost.'),
});
const GateQuality = z.object({
  total: z.number().int(),
  pass: z.number().int(),
  blocked: z.number().int(),
  flagged: z.number().int(),
  pass_rate: Ratio,
  seconds: z.number(),
  reviewed_blocks: z.number().int().describe('Work that it blocked and a reviewer decided on.'),
  false_blocks: z.number().int().describe('Part of it that the reviewer approved.'),
  false_block_rate: Ratio,
  false_greens: z
    .number()
    .int()
    .describe('Work that it passed and that a reviewer rejected, or that was reverted.'),
  false_green_rate: Ratio,
});

export const QualityMetrics = z
  .object({
    overall: DurationStatistics.describe('Tasks that completed or failed.'),
    per_model: z.record(z.string(), ModelQuality).describe('Attempts by model.'),
    per_role: z.record(z.string(), DurationStatistics),
    gate_stats: z.record(z.string(), GateQuality),
    guardrail_pass_rate: Ratio,
    judging: z
      .object({
        attempts: z.number().int(),
        cost_usd: z
          .number()
          .nullable()
          .describe('Cost of judging, over the attempts with a known cost; null: of none.'),
        gates_cost_usd: z.number().nullable().describe('Part of it that gates asked for.'),
        cost_unknown: z.number().int().describe('Attempts with an unknown cost of judging.'),
      })
      .describe('Judging by model, within the window of `models`.'),
    review_rejection_rate: Ratio.describe('Share of reviews that rejected.'),
    windows: z.object({ completions: z.number().int(), gates: z.number().int(), models: z.number().int() }),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'Quality' });

export const QualityByModel = z
  .object({
    models: z.record(z.string(), ModelQuality),
    window_days: z.number().int(),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'QualityModels' });

export const QualityTrendQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(365).default(90),
  granularity: z.enum(['day', 'week']).default('day').describe('Weeks begin on Monday, UTC.'),
});
export const QualityTrend = z
  .object({
    granularity: z.enum(['day', 'week']),
    window_days: z.number().int(),
    series: z.array(
      z.object({
        date: z.iso.date(),
        ts: z.number().int().describe('Start of the span in Unix seconds.'),
        tasks_total: z.number().int(),
        tasks_success: z.number().int(),
        success_rate: Ratio,
        cost_usd: z.number().nullable().describe('Over the tasks with a known value; null: of none.'),
        cost_unknown: z.number().int(),
        judging_cost_usd: z
          .number()
          .nullable()
          .describe('Cost of judging, as far as it is known; null: of no attempt.'),
        avg_quality_score: z
          .number()
          .nullable()
          .describe('Mean quality score of the attempts, 0 to 100; null: none has one.'),
        completions: z.number().int(),
        unverified: z.number().int(),
        unverified_ratio: Ratio,
        saved_usd: z
          .number()
          .nullable()
          .describe('Saving over asking the top model at once; may be negative. Null: known of no task.'),
        tier_pass_rates: z.record(z.string(), Ratio).describe('Share of attempts that passed, by tier.'),
        gate_seconds: z.record(z.string(), Seconds).describe('Mean duration of a run in seconds.'),
        queue_p50_seconds: Seconds.describe('From submission to the first claim.'),
        queue_p90_seconds: Seconds,
        gate_pass_rates: z.record(z.string(), Ratio),
      }),
    ),
    quality_trend: z
      .enum(['improving', 'stable', 'declining'])
      .describe(
        'Slope of the least-squares line through the last ten quality scores: above 2 a span, below -2, or between.',
      ),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'QualityTrend' });

export const QualityAuthorsQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(365).default(30),
});
export const QualityAuthors = z
  .object({
    authors: z
      .record(
        z.string(),
        z.object({
          verified: z.number().int().describe('Heads of pull requests, or tasks, that passed or failed.'),
          passed: z.number().int(),
          pass_rate: Ratio,
          cost_usd: z.number().nullable().describe('Of models, where it is known; null: of none.'),
          cost_unknown: z.number().int(),
          usd_per_pass: z.number().nullable(),
          merged: z.number().int(),
          reverted: z.number().int(),
          revert_rate: Ratio.describe('Of the merged ones.'),
        }),
      )
      .describe(
        'By author: the login of a bot; `people`, who are not told apart; `assay`: its own tasks; beyond 50 a day: `others`.',
      ),
    window_days: z.number().int(),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'QualityAuthors' });
