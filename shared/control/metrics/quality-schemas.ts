import * as z from 'zod';

const Ratio = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe('0 to 1; null when there is nothing to divide by.');
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
  cost_usd: z.number().nullable().describe('Of the attempts of which it is known; null: of none.'),
  cost_unknown: z.number().int().describe('How many attempts have an unknown cost.'),
});
const GateQuality = z.object({
  total: z.number().int(),
  pass: z.number().int(),
  blocked: z.number().int(),
  flagged: z.number().int(),
  pass_rate: Ratio,
  seconds: z.number(),
  reviewed_blocks: z.number().int().describe('Work that it held and that a person then looked at.'),
  false_blocks: z.number().int().describe('Of it: approved all the same.'),
  false_block_rate: Ratio,
  false_greens: z
    .number()
    .int()
    .describe('Work that it had passed and that a person rejected, or that was reverted.'),
  false_green_rate: Ratio,
});

export const QualityMetrics = z
  .object({
    overall: DurationStatistics.describe('Tasks that came to their goal or failed.'),
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
          .describe('What models took to judge, of the attempts of which it is known; null: of none.'),
        gates_cost_usd: z.number().nullable().describe('Of it: what gates have asked.'),
        cost_unknown: z.number().int().describe('How many attempts have an unknown cost of judging.'),
      })
      .describe('Judging by models, within the window of `models`.'),
    review_rejection_rate: Ratio.describe("Share of persons' words that were a no."),
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
  granularity: z.enum(['day', 'week']).default('day').describe('A week begins on Monday, UTC.'),
});
export const QualityTrend = z
  .object({
    granularity: z.enum(['day', 'week']),
    window_days: z.number().int(),
    series: z.array(
      z.object({
        date: z.iso.date(),
        ts: z.number().int().describe('Epoch seconds of its beginning.'),
        tasks_total: z.number().int(),
        tasks_success: z.number().int(),
        success_rate: Ratio,
        cost_usd: z.number().nullable().describe('Of the tasks of which it is known; null: of none.'),
        cost_unknown: z.number().int(),
        judging_cost_usd: z
          .number()
          .nullable()
          .describe('What models took to judge, as far as it is known; null: of no attempt.'),
        avg_quality_score: z
          .number()
          .nullable()
          .describe('0 to 100, mean of the quality scores of the attempts; null: none has one.'),
        completions: z.number().int(),
        unverified: z.number().int(),
        unverified_ratio: Ratio,
        saved_usd: z
          .number()
          .nullable()
          .describe(
            'Against going straight to the top model; may be negative. Null: of no task is it known.',
          ),
        tier_pass_rates: z.record(z.string(), Ratio).describe('Attempts that were accepted, by tier.'),
        gate_seconds: z.record(z.string(), Seconds).describe('Mean of a run.'),
        queue_p50_seconds: Seconds.describe('From submission to the first claim.'),
        queue_p90_seconds: Seconds,
        gate_pass_rates: z.record(z.string(), Ratio),
      }),
    ),
    quality_trend: z
      .enum(['improving', 'stable', 'declining'])
      .describe(
        'By the slope of the least squares through the last ten quality scores of the series: above 2 a span, below -2, or between.',
      ),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'QualityTrend' });
