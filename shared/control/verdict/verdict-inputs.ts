import type { VerdictInput } from '../../contract/check-outcome.ts';
import {
  ACCEPTANCE_TESTS_GATE,
  CHALLENGE_GATE,
  COUNTEREXAMPLES_GATE,
} from '../../contract/evidence/gate-names.ts';
import type { Attempt } from '../../contract/task/attempt.ts';

type CheckedAttempt = Pick<Attempt, 'verification'>;
export type GateResult = NonNullable<CheckedAttempt['verification']>['gates'][number];

/** Gates whose tests were written without the author of the patch, in the order in which they are shown. */
const INDEPENDENT_GATES: readonly string[] = [ACCEPTANCE_TESTS_GATE, COUNTEREXAMPLES_GATE, CHALLENGE_GATE];

/** Returns the independent evidence of an attempt. It is shown before all other evidence. */
export const listIndependentResults = ({ verification }: CheckedAttempt): readonly GateResult[] =>
  INDEPENDENT_GATES.flatMap((name) => verification?.gates.filter((gate) => gate.name === name) ?? []);

/** Returns whether a gate is independent evidence. */
export const isIndependentGate = ({ name }: { readonly name: string }): boolean =>
  INDEPENDENT_GATES.includes(name);

/** Builds `acceptance tests failed: 7 of 8 requirements tested; 6 met; not met: all or nothing`. */
export const describeIndependentResult = ({
  name,
  outcome,
  detail,
}: Pick<GateResult, 'name' | 'outcome' | 'detail'>): string =>
  `${name.replaceAll('_', ' ')} ${outcome.replaceAll('_', ' ')}${detail === '' ? '' : `: ${detail}`}`;

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
