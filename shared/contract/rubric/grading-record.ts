import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';

/** What a grading was made of, beside the opinion itself: part of its judgement. */
export const GradingRecord = z.object({
  node: z.string(),
  rubric: z.string(),
  decomposer: z.string(),
  grader: z.string(),
  /** By criterion of the rubric; empty: there are none. */
  grades: z.record(z.string(), StorableNumber),
  /** Σ weight · grade; null without grades. It decides only where the rubric says so. */
  weighted_score: StorableNumber.nullable(),
  /** What was handed to the evaluator; null: nothing was. The work itself is what `refs` name. */
  handoff: z
    .object({
      from_agent_id: z.string(),
      to_agent_id: z.string(),
      from_stage: z.string(),
      to_stage: z.string(),
      artifact_refs: z.array(z.string()),
      probes: z.array(z.object({ id: z.string(), probe_text: z.string() })),
      /** How many more there were than have room. */
      probes_omitted: z.int().nonnegative(),
      payload_sha256: z.string(),
      created_at: z.iso.datetime(),
    })
    .nullable(),
});
export type GradingRecord = z.infer<typeof GradingRecord>;
