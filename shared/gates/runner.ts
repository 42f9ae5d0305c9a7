import type { GateEvidence } from '../evidence/schema.ts';
import { describeCondition, holds } from './conditions.ts';
import type { GateContext, GateResult } from './gate.ts';
import type { Step } from './pipeline.ts';

/** A gate that somebody decided to leave out this once. It never counts as passed. */
export interface Bypass {
  readonly gate: string;
  readonly reason: string;
  readonly actor: string;
}

type Shared = Omit<GateContext, 'command'>;

/** One job per gate, to be run side by side with others; each never rejects. */
export function gateJobs(
  steps: readonly Step[],
  shared: Shared,
  settings: Readonly<Record<string, unknown>>,
  bypasses: readonly Bypass[] = [],
): (() => Promise<GateEvidence>)[] {
  return steps.map((step) => async () => {
    const started = performance.now();
    const bypass = bypasses.find((each) => each.gate === step.gate.name);
    const result = bypass ? bypassed(bypass) : await runStep(step, shared, settings);
    return {
      name: step.gate.name,
      outcome: result.outcome,
      kind: result.kind,
      required: step.required,
      blocked: step.required && result.outcome === 'failed',
      cached: false,
      findings: [...result.findings],
      detail: result.detail,
      duration_ms: Math.round(performance.now() - started),
      metadata: result.metadata ?? {},
    };
  });
}

async function runStep(
  step: Step,
  shared: Shared,
  settings: Readonly<Record<string, unknown>>,
): Promise<GateResult> {
  if (!holds(step.condition, shared.changedPaths))
    return {
      outcome: 'skipped',
      kind: 'checked_by_us',
      findings: [],
      detail: `condition ${describeCondition(step.condition)} does not hold`,
    };
  try {
    return await step.gate.run({ ...shared, command: step.command }, settings);
  } catch (error) {
    // A gate that breaks says nothing about the patch, and must not take the other gates with it.
    return {
      outcome: 'infra_failed',
      kind: 'executed_by_us',
      findings: [],
      detail: `the gate itself broke: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

const bypassed = ({ reason, actor }: Bypass): GateResult => ({
  outcome: 'bypassed',
  kind: 'claimed',
  findings: [],
  detail: `bypassed by ${actor}: ${reason}`,
  metadata: { reason, actor },
});
