import { shownPath } from '../checkout/path-bytes.ts';
import type { GateEvidence } from '../evidence/schema.ts';
import { describeCondition, holds } from './conditions.ts';
import type { GateResult } from './gate.ts';
import type { Judge, JudgedTask } from './llm/judge.ts';
import type { Step } from './pipeline.ts';
import type { GateJob } from './schedule.ts';
import type { Subject } from './subject.ts';

/** A gate that somebody decided to leave out this once. It never counts as passed. */
export interface Bypass {
  readonly gate: string;
  readonly reason: string;
  readonly actor: string;
}

export interface RunnerOptions {
  readonly subject: Subject;
  /** The gates' own keys of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly bypasses: readonly Bypass[];
  readonly task?: JudgedTask | null;
  readonly judge?: Judge | null;
}

/** One job per gate, in pipeline order. */
export function gateJobs(steps: readonly Step[], options: RunnerOptions): GateJob[] {
  const required = steps.flatMap((step) => (step.required ? [step.gate.name] : []));
  const runOne = async (step: Step): Promise<GateEvidence> => {
    const started = performance.now();
    const bypass = options.bypasses.find((each) => each.gate === step.gate.name);
    const result = bypass ? bypassed(bypass) : await runStep(step, required, options);
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
  };
  return steps.map((step) => ({ first: step.gate.formatter ?? false, run: () => runOne(step) }));
}

async function runStep(
  step: Step,
  required: readonly string[],
  { subject, settings, task = null, judge = null }: RunnerOptions,
): Promise<GateResult> {
  if (!holds(step.condition, subject.changedPaths))
    return {
      outcome: 'skipped',
      kind: 'checked_by_us',
      findings: [],
      detail: `condition ${describeCondition(step.condition)} does not hold`,
    };
  try {
    const { command, asked, timeoutMs } = step;
    return await within(
      timeoutMs + LATE_MS,
      step.gate.run({ subject, timeoutMs, command, asked, required, task, judge }, settings),
    );
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

/** Gates keep their own time; this is for one that does not. In milliseconds. */
const LATE_MS = 5_000;

async function within(limitMs: number, running: Promise<GateResult>): Promise<GateResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<GateResult>((resolve) => {
    timer = setTimeout(
      () =>
        resolve({
          outcome: 'timed_out',
          kind: 'checked_by_us',
          findings: [],
          detail: `the gate did not end within ${limitMs} ms`,
        }),
      limitMs,
    );
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

const bypassed = ({ reason, actor }: Bypass): GateResult => ({
  outcome: 'bypassed',
  kind: 'claimed',
  findings: [],
  detail: `bypassed by ${actor}: ${reason}`,
  metadata: { reason, actor },
});
