import * as z from 'zod';
import { EvidenceKind } from '../../../shared/contract/check-outcome.ts';
import { CheckFinding, GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import { HiddenTestsResult } from '../../core/hidden-tests-result.ts';
import { TestResult } from '../../core/test-result.ts';

/** What a gate said about one tree. Only results are remembered: whatever kept a gate from one may be gone the next time. */
export const CachedGateResult = z.strictObject({
  schema_version: z.literal(1),
  /** The very key that it was stored under. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  kind: EvidenceKind,
  findings: z.array(CheckFinding),
  detail: z.string(),
  facts: GateEvidence.shape.facts,
  blocks: z.boolean(),
  /** Every test case that was run; absent: none, or too many to be kept. */
  tests: z.array(TestResult).optional(),
  hidden_tests: z.array(HiddenTestsResult).optional(),
  /** Of the run that came to it. */
  duration_ms: z.number().int().nonnegative(),
});
export type CachedGateResult = z.infer<typeof CachedGateResult>;
