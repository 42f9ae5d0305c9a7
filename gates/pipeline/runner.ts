import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { shownPath } from '../../workspace/git/path-bytes.ts';
import { describeCondition, holds } from '../core/conditions.ts';
import type { GateContext, GateResult, TakenShot } from '../core/gate.ts';
import type { HiddenResult } from '../core/hidden-result.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import type { TestResult } from '../core/test-result.ts';
import type { CachedResult } from './cache/cache.ts';
import type { Results } from './cache/results.ts';
import type { Step } from './pipeline.ts';
import type { GateJob } from './schedule.ts';

/** A gate that somebody decided to leave out. It never counts as passed, and all of this is in the record. */
export interface Bypass {
  readonly gate: string;
  readonly reason: string;
  readonly actor: string;
  /** The task that it is for; null: this run only. */
  readonly task: string | null;
  /** When it ends, as ISO 8601; null: with this run. */
  readonly until: string | null;
}

/** What is the same for every gate of a run. */
type Shared = Pick<
  GateContext,
  'subject' | 'task' | 'judge' | 'baselines' | 'surroundings' | 'history' | 'repository' | 'hidden' | 'rules'
>;

export interface RunnerOptions extends Shared {
  /** The gates' own keys of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly bypasses: readonly Bypass[];
  /** What is remembered of this tree; null: nothing, and nothing is to be. Nothing is without `surroundings`. */
  readonly results?: Results | null;
  /** Gets every test case of the first run of a gate, or those that were remembered with its result. */
  readonly onTests?: (gate: string, tests: readonly TestResult[]) => void;
  /** Gets the pictures that a gate has taken. */
  readonly onShots?: (gate: string, shots: readonly TakenShot[]) => void;
  /** Gets what hidden tests said. */
  readonly onHidden?: (results: readonly HiddenResult[]) => void;
}

/**
 * One job per gate, in pipeline order. What is remembered is looked up before the first of them runs: no command of this run can
 * have written it.
 */
export async function gateJobs(steps: readonly Step[], options: RunnerOptions): Promise<GateJob[]> {
  const required = steps.flatMap((step) => (step.required ? [step.gate.name] : []));
  return Promise.all(
    steps.map(async (step): Promise<GateJob> => {
      const found = await lookUp(step, required, options);
      return { first: step.gate.formatter ?? false, run: () => runOne(step, required, options, found) };
    }),
  );
}

interface LookedUp {
  /** Null: the result is not to be remembered. */
  readonly key: string | null;
  readonly cached: CachedResult | null;
}

async function lookUp(step: Step, required: readonly string[], options: RunnerOptions): Promise<LookedUp> {
  const { results, surroundings, subject, settings, task = null, judge = null, hidden = null } = options;
  if (!results || !surroundings || bypassOf(step, options) || !holds(step.condition, subject.changedPaths))
    return { key: null, cached: null };
  const { keyOf } = await import('./key.ts');
  // Whatever keeps the key from being made, the gate itself will say so.
  const key = await keyOf(step, {
    subject,
    settings,
    required,
    task,
    judge,
    hidden,
    rules: options.rules ?? null,
    surroundings,
  }).catch(() => null);
  return { key, cached: key === null ? null : results.get(key) };
}

const bypassOf = (step: Step, { bypasses }: RunnerOptions): Bypass | undefined =>
  bypasses.find((each) => each.gate === step.gate.name);

async function runOne(
  step: Step,
  required: readonly string[],
  options: RunnerOptions,
  { key, cached }: LookedUp,
): Promise<GateEvidence> {
  const started = performance.now();
  const bypass = bypassOf(step, options);
  const result = cached ?? (bypass ? bypassed(bypass) : await runStep(step, required, options));
  if (result.tests) options.onTests?.(step.gate.name, result.tests);
  const shots = 'shots' in result ? (result.shots ?? []) : [];
  if (shots.length > 0) options.onShots?.(step.gate.name, shots);
  if (result.hidden) options.onHidden?.(result.hidden);
  const evidence: GateEvidence = {
    name: step.gate.name,
    outcome: result.outcome,
    kind: result.kind,
    required: step.required,
    blocked: result.outcome === 'failed' && (step.required || result.blocks === true),
    cached: cached !== null,
    findings: result.findings.map((finding) => ({
      ...finding,
      file: finding.file === null || cached ? finding.file : shownPath(finding.file),
      message: shownPath(finding.message),
    })),
    detail: shownPath(result.detail),
    duration_ms: cached?.duration_ms ?? Math.round(performance.now() - started),
    metadata: result.metadata ?? {},
    ...('onError' in result && result.onError !== undefined ? { on_error: result.onError } : {}),
    ...(shots.length > 0 ? { screenshots: shots.map(({ shot }) => shot) } : {}),
  };
  if (key !== null && !cached) remember(key, evidence, result, options);
  return evidence;
}

/** Most test cases that are remembered of one gate; with their names that is about a megabyte. */
const MAX_KEPT_TESTS = 5_000;

/** Only what came to a result is remembered. */
function remember(
  key: string,
  { outcome, kind, findings, detail, metadata, duration_ms }: GateEvidence,
  {
    blocks = false,
    tests = [],
    hidden,
    shots = [],
  }: {
    readonly shots?: readonly TakenShot[] | undefined;
    readonly blocks?: boolean | undefined;
    readonly tests?: readonly TestResult[] | undefined;
    readonly hidden?: readonly HiddenResult[] | undefined;
  },
  { results }: RunnerOptions,
): void {
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') return;
  // The pictures lie beside the evidence of this attempt only.
  if (shots.length > 0) return;
  // As with the gate itself: what could not run may be able to the next time.
  if (hidden?.some((each) => each.outcome === 'inert')) return;
  results?.add({
    schema_version: 1,
    key,
    outcome,
    kind,
    findings,
    detail,
    metadata,
    blocks,
    ...(tests.length > 0 && tests.length <= MAX_KEPT_TESTS ? { tests: [...tests] } : {}),
    ...(hidden ? { hidden: [...hidden] } : {}),
    duration_ms,
  });
}

async function runStep(step: Step, required: readonly string[], options: RunnerOptions): Promise<GateResult> {
  const { subject, settings, task, judge, baselines, surroundings, history, repository, hidden } = options;
  const shared: Shared = {
    subject,
    task: task ?? null,
    judge: judge ?? null,
    baselines: baselines ?? null,
    surroundings: surroundings ?? null,
    history: history ?? null,
    repository: repository ?? null,
    hidden: hidden ?? null,
    rules: options.rules ?? NO_SETTINGS,
  };
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
      subject.rooms.within(timeoutMs + LATE_MS),
      step.gate.run({ ...shared, timeoutMs, command, asked, required }, settings),
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

/** How often a gate that is over its time by the clock is looked at while a command waits to be let in, in milliseconds. */
const WAITING_MS = 100;

/** @param left of its time, which stands still while a command waits to be let in. */
async function within(left: () => number, running: Promise<GateResult>): Promise<GateResult> {
  let timer: NodeJS.Timeout | undefined;
  const limitMs = Math.round(left());
  const late = new Promise<GateResult>((resolve) => {
    const look = (): void => {
      if (left() > 1) timer = setTimeout(look, Math.max(left(), WAITING_MS));
      else
        resolve({
          outcome: 'timed_out',
          kind: 'checked_by_us',
          findings: [],
          detail: `the gate did not end within ${limitMs} ms`,
        });
    };
    look();
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

const bypassed = ({ reason, actor, task, until }: Bypass): GateResult => ({
  outcome: 'bypassed',
  kind: 'claimed',
  findings: [],
  detail: `bypassed by ${actor}${task === null ? '' : ` for ${task === '*' ? 'every task' : `task ${task}`}`}${until === null ? '' : ` until ${until}`}: ${reason}`,
  metadata: { reason, actor, bypassed_task: task, until },
});
