import { shownPath } from '../checkout/path-bytes.ts';
import type { GateEvidence } from '../evidence/schema.ts';
import { describeCondition, holds } from './conditions.ts';
import type { GateResult } from './gate.ts';
import type { Step } from './pipeline.ts';
import type { Subject } from './subject.ts';

/** A gate that somebody decided to leave out this once. It never counts as passed. */
export interface Bypass {
  readonly gate: string;
  readonly reason: string;
  readonly actor: string;
}

export interface RunnerOptions {
  readonly subject: Subject;
  readonly timeoutMs: number;
  /** The gates' own keys of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly bypasses: readonly Bypass[];
}

/** One job per gate, to be run side by side with others; each never rejects. */
export function gateJobs(steps: readonly Step[], options: RunnerOptions): (() => Promise<GateEvidence>)[] {
  return steps.map((step) => async () => {
    const started = performance.now();
    const bypass = options.bypasses.find((each) => each.gate === step.gate.name);
    const result = bypass ? bypassed(bypass) : await runStep(step, options);
    return {
      name: step.gate.name,
      outcome: result.outcome,
      kind: result.kind,
      required: step.required,
      blocked: result.outcome === 'failed' && (step.required || result.blocks === true),
      cached: false,
      findings: result.findings.map((finding) => ({
        ...finding,
        file: finding.file === null ? null : shownPath(finding.file),
      })),
      detail: result.detail,
      duration_ms: Math.round(performance.now() - started),
      metadata: result.metadata ?? {},
    };
  });
}

async function runStep(step: Step, { subject, timeoutMs, settings }: RunnerOptions): Promise<GateResult> {
  if (!holds(step.condition, subject.changedPaths))
    return {
      outcome: 'skipped',
      kind: 'checked_by_us',
      findings: [],
      detail: `condition ${describeCondition(step.condition)} does not hold`,
    };
  try {
    const { command, asked } = step;
    return await step.gate.run({ subject, timeoutMs, command, asked }, settings);
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
