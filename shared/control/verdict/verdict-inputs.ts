import * as z from 'zod';
import { CheckOutcome, EvidenceKind } from '../../contract/check-outcome.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { type GateResult, isIndependentGate, listIndependentResults } from './independent-results.ts';

/** One thing that a verdict was made of. */
export const VerdictInput = z.object({
  source: z.enum(['signal', 'gate', 'judge']),
  name: z.string(),
  kind: EvidenceKind,
  outcome: CheckOutcome,
  model: z.string().nullable().describe('The model that was asked; null: none.'),
  prompt_sha256: z.string().nullable(),
  calibration: z.string().nullable().describe('Calibration of this model; null: none.'),
  cost_usd: z
    .number()
    .nullable()
    .describe('Cost of the question in dollars; null: no model was asked, or it is unknown.'),
  base_commit: z.string(),
  tree: z.string(),
});
export type VerdictInput = z.infer<typeof VerdictInput>;

type JudgedInputFields = Pick<VerdictInput, 'model' | 'prompt_sha256' | 'calibration' | 'cost_usd'>;
const NO_JUDGE: JudgedInputFields = { model: null, prompt_sha256: null, calibration: null, cost_usd: null };

/** Who a gate has asked, by its own facts; what its calls cost in all is the gateway's to say. */
function gateJudgeFields(facts: Readonly<Record<string, unknown>>): JudgedInputFields {
  const text = (name: string): string | null => (typeof facts[name] === 'string' ? facts[name] : null);
  const cost = facts['cost_usd'];
  return {
    model: text('tool_version'),
    prompt_sha256: text('prompt_sha256'),
    calibration: null,
    cost_usd: typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null,
  };
}

/** Lists all that a verdict was made of, independent evidence first; empty without a verdict. */
export function listVerdictInputs({
  verification,
  verdict,
}: Pick<Attempt, 'verification' | 'verdict'>): VerdictInput[] {
  if (!verdict) return [];
  const about = { base_commit: verdict.base_commit, tree: verdict.tree };
  const gateInput = ({ name, kind, outcome, facts }: GateResult) => ({
    source: 'gate' as const,
    name,
    kind,
    outcome,
    ...(kind === 'judged' ? gateJudgeFields(facts) : NO_JUDGE),
    ...about,
  });
  const gates = (verification?.gates ?? []).filter((gate) => !isIndependentGate(gate));
  return [
    ...listIndependentResults({ verification }).map(gateInput),
    ...(verification?.signals ?? []).map(({ subject, kind, outcome }) => ({
      source: 'signal' as const,
      name: subject,
      kind,
      outcome,
      ...NO_JUDGE,
      ...about,
    })),
    ...gates.map(gateInput),
    ...(verdict.judgements ?? []).map(({ subject, outcome, model, prompt, calibration, cost_usd }) => ({
      source: 'judge' as const,
      name: subject,
      kind: 'judged' as const,
      outcome,
      model,
      prompt_sha256: prompt?.sha256 ?? null,
      calibration,
      cost_usd,
      ...about,
    })),
  ];
}
