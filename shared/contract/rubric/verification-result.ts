import * as z from 'zod';
import { deepFreezeCopy } from '../../lib/deep-freeze.ts';
import { VERDICTS } from '../check-outcome.ts';
import { Refusal } from '../refusal.ts';
import { UnitFraction } from './verification-rubric.ts';

const NonBlank = z.string().refine((text) => text.trim() !== '', { message: 'must not be blank' });

/** What an evaluator says of somebody else's work. */
export const VerificationResult = z
  .strictObject({
    verdict: z.enum(VERDICTS),
    confidence: UnitFraction,
    per_criterion_grades: z.record(z.string(), UnitFraction),
    findings: z.array(NonBlank).default([]),
    evaluator_agent_id: NonBlank,
    generator_agent_id: NonBlank,
    rubric_name: NonBlank,
    timestamp: z.iso.datetime(),
  })
  .refine(({ evaluator_agent_id: one, generator_agent_id: other }) => one !== other, {
    path: ['evaluator_agent_id'],
    message: 'made the work: nobody grades their own',
  });
export type VerificationResult = Readonly<z.infer<typeof VerificationResult>>;

/** @throws Refusal `self_review` when the evaluator made the work, `invalid` for any other fault. */
export function createVerificationResult(fields: z.input<typeof VerificationResult>): VerificationResult {
  if (fields.evaluator_agent_id === fields.generator_agent_id)
    throw new Refusal('self_review', `${fields.evaluator_agent_id} made this work: nobody grades their own`);
  const parsed = VerificationResult.safeParse(fields);
  if (!parsed.success) throw new Refusal('invalid', z.prettifyError(parsed.error));
  return deepFreezeCopy(parsed.data);
}
