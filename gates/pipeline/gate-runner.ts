import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';
import type { CapturedScreenshot, GateContext, GateResult } from '../core/gate.ts';
import { describeUnmetGateCondition, isGateConditionMet } from '../core/gate-conditions.ts';
import type { HiddenTestsResult } from '../core/hidden-tests-result.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import { EnvironmentPreparationError } from '../core/sandbox-extension.ts';
import type { TestResult } from '../core/test-result.ts';
import { trackTestRunCosts } from '../core/test-run-costs.ts';
import type { CachedGateResult } from './cache/cached-gate-result.ts';
import type { GateResultCache } from './cache/result-cache.ts';
import type { GatePipelineStep } from './gate-pipeline.ts';
import type { GateJob } from './schedule-gate-jobs.ts';

/** A gate that somebody decided to leave out. It never counts as passed, and all of this is in the record. */
export interface GateBypass {
  readonly gate: string;
  readonly reason: string;
  readonly actor: string;
  /** The task that it is for; null: this run only. */
  readonly task: string | null;
  /** When it ends, as ISO 8601; null: with this run. */
  readonly until: string | null;
}

/** What is the same for every gate of a run. */
type SharedGateContext = Pick<
  GateContext,
  | 'subject'
  | 'task'
  | 'judge'
  | 'baselineCache'
  | 'executionEnvironment'
  | 'testHistory'
  | 'repository'
  | 'hiddenTests'
  | 'ruleSettings'
>;

export interface GateRunnerOptions extends SharedGateContext {
  /** The gates' own keys of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly bypasses: readonly GateBypass[];
  /** What is remembered of this tree; null: nothing, and nothing is to be. Nothing is without `surroundings`. */
  readonly resultCache?: GateResultCache | null;
  /** Gets every test case of the first run of a gate, or those that were remembered with its result. */
  readonly onTests?: (gate: string, tests: readonly TestResult[]) => void;
  /** Gets the pictures that a gate has taken. */
  readonly onScreenshots?: (gate: string, screenshots: readonly CapturedScreenshot[]) => void;
  /** Gets what hidden tests said. */
  readonly onHiddenTestsResults?: (results: readonly HiddenTestsResult[]) => void;
}

/**
 * One job per gate, in pipeline order. What is remembered is looked up before the first of them runs: no command of this run can
 * have written it.
 */
export async function createGateJobs(
  steps: readonly GatePipelineStep[],
  options: GateRunnerOptions,
): Promise<GateJob[]> {
  const required = steps.flatMap((step) => (step.required ? [step.gate.name] : []));
  return Promise.all(
    steps.map(async (step): Promise<GateJob> => {
      const found = await lookUp(step, required, options);
      return {
        runsFirst: step.gate.isFormatter ?? false,
        run: () => runOrReuseStep(step, required, options, found),
      };
    }),
  );
}

interface CacheLookup {
  /** Null: the result is not to be remembered. */
  readonly key: string | null;
  readonly cached: CachedGateResult | null;
}

async function lookUp(
  step: GatePipelineStep,
  required: readonly string[],
  options: GateRunnerOptions,
): Promise<CacheLookup> {
  const {
    resultCache,
    executionEnvironment,
    subject,
    settings,
    task = null,
    judge = null,
    hiddenTests = null,
  } = options;
  if (
    !resultCache ||
    !executionEnvironment ||
    bypassOf(step, options) ||
    !isGateConditionMet(step.condition, subject.changedPaths)
  )
    return { key: null, cached: null };
  const { computeGateCacheKey } = await import('./cache-key.ts');
  // Whatever keeps the key from being made, the gate itself will say so.
  const key = await computeGateCacheKey(step, {
    subject,
    settings,
    requiredGates: required,
    task,
    judge,
    hiddenTests,
    ruleSettings: options.ruleSettings ?? null,
    executionEnvironment,
  }).catch(() => null);
  return { key, cached: key === null ? null : resultCache.get(key) };
}

const bypassOf = (step: GatePipelineStep, { bypasses }: GateRunnerOptions): GateBypass | undefined =>
  bypasses.find((each) => each.gate === step.gate.name);

async function runOrReuseStep(
  step: GatePipelineStep,
  required: readonly string[],
  options: GateRunnerOptions,
  { key, cached }: CacheLookup,
): Promise<GateEvidence> {
  const started = performance.now();
  const bypass = bypassOf(step, options);
  const result = cached
    ? toGateResult(cached)
    : bypass
      ? createBypassedResult(bypass)
      : await runCountedStep(step, required, options);
  if (result.tests) options.onTests?.(step.gate.name, result.tests);
  const { screenshots = [] } = result;
  if (screenshots.length > 0) options.onScreenshots?.(step.gate.name, screenshots);
  if (result.hiddenTestsResults) options.onHiddenTestsResults?.(result.hiddenTestsResults);
  const evidence: GateEvidence = {
    name: step.gate.name,
    outcome: result.outcome,
    kind: result.kind,
    required: step.required,
    blocked: result.outcome === 'failed' && (step.required || result.blocks === true),
    cached: cached !== null,
    findings: result.findings.map((finding) => ({
      ...finding,
      file: finding.file === null || cached ? finding.file : toDisplayPath(finding.file),
      message: toDisplayPath(finding.message),
    })),
    detail: toDisplayPath(result.detail),
    duration_ms: cached?.duration_ms ?? Math.round(performance.now() - started),
    facts: result.facts ?? {},
    ...(result.onError !== undefined ? { on_error: result.onError } : {}),
    ...(screenshots.length > 0 ? { screenshots: screenshots.map(({ screenshot }) => screenshot) } : {}),
  };
  if (key !== null && !cached) cacheResult(key, evidence, result, options);
  return evidence;
}

const toGateResult = ({ hidden_tests: hidden, tests, ...result }: CachedGateResult): GateResult => ({
  ...result,
  ...(tests ? { tests } : {}),
  ...(hidden ? { hiddenTestsResults: hidden } : {}),
});

/** Most test cases that are remembered of one gate; with their names that is about a megabyte. */
const MAX_KEPT_TESTS = 5_000;

/** Only what came to a result is remembered. */
function cacheResult(
  key: string,
  { outcome, kind, findings, detail, facts, duration_ms }: GateEvidence,
  { blocks = false, tests = [], hiddenTestsResults, screenshots = [] }: GateResult,
  { resultCache }: GateRunnerOptions,
): void {
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') return;
  // The pictures lie beside the evidence of this attempt only.
  if (screenshots.length > 0) return;
  // As with the gate itself: what could not run may be able to the next time.
  if (hiddenTestsResults?.some((each) => each.outcome === 'could_not_run')) return;
  resultCache?.add({
    schema_version: 1,
    key,
    outcome,
    kind,
    findings,
    detail,
    facts,
    blocks,
    ...(tests.length > 0 && tests.length <= MAX_KEPT_TESTS ? { tests: [...tests] } : {}),
    ...(hiddenTestsResults ? { hidden_tests: [...hiddenTestsResults] } : {}),
    duration_ms,
  });
}

/** Runs a step, and says how often tests ran for it and what that has cost. */
async function runCountedStep(
  step: GatePipelineStep,
  required: readonly string[],
  options: GateRunnerOptions,
): Promise<GateResult> {
  const { value: result, costs } = await trackTestRunCosts(() => runStep(step, required, options));
  if (costs.runs === 0) return result;
  return {
    ...result,
    facts: { ...result.facts, test_runs: costs.runs, test_runs_cpu_ms: Math.round(costs.cpuMs) },
  };
}

async function runStep(
  step: GatePipelineStep,
  required: readonly string[],
  options: GateRunnerOptions,
): Promise<GateResult> {
  const {
    subject,
    settings,
    task,
    judge,
    baselineCache,
    executionEnvironment,
    testHistory,
    repository,
    hiddenTests,
  } = options;
  const shared: SharedGateContext = {
    subject,
    task: task ?? null,
    judge: judge ?? null,
    baselineCache: baselineCache ?? null,
    executionEnvironment: executionEnvironment ?? null,
    testHistory: testHistory ?? null,
    repository: repository ?? null,
    hiddenTests: hiddenTests ?? null,
    ruleSettings: options.ruleSettings ?? NO_RULE_SETTINGS,
  };
  if (!isGateConditionMet(step.condition, subject.changedPaths))
    return {
      outcome: 'skipped',
      kind: 'checked',
      findings: [],
      detail: `skipped: ${describeUnmetGateCondition(step.condition)}`,
    };
  try {
    const { command, explicitlyEnabled, timeoutMs } = step;
    return await limitTime(
      subject.sandboxes.startTimeLimit(timeoutMs * (step.gate.timeLimitCount ?? 1) + LATE_MS),
      step.gate.run({ ...shared, timeoutMs, command, explicitlyEnabled, requiredGates: required }, settings),
    );
  } catch (error) {
    if (error instanceof EnvironmentPreparationError)
      return { outcome: 'could_not_run', kind: 'executed', findings: [], detail: error.message };
    // A gate that breaks says nothing about the patch, and must not take the other gates with it.
    return {
      outcome: 'infra_failed',
      kind: 'executed',
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
async function limitTime(left: () => number, running: Promise<GateResult>): Promise<GateResult> {
  let timer: NodeJS.Timeout | undefined;
  const limitMs = Math.round(left());
  const late = new Promise<GateResult>((resolve) => {
    const look = (): void => {
      if (left() > 1) timer = setTimeout(look, Math.max(left(), WAITING_MS));
      else
        resolve({
          outcome: 'timed_out',
          kind: 'checked',
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

const createBypassedResult = ({ reason, actor, task, until }: GateBypass): GateResult => ({
  outcome: 'bypassed',
  kind: 'claimed',
  findings: [],
  detail: `bypassed by ${actor}${task === null ? '' : ` for ${task === '*' ? 'every task' : `task ${task}`}`}${until === null ? '' : ` until ${until}`}: ${reason}`,
  facts: { reason, actor, bypassed_task: task, until },
});
