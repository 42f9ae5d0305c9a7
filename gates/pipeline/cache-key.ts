import { canonicalHash } from '../../shared/lib/canonical-json.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import type { ExecutionEnvironment } from '../core/execution-environment.ts';
import type { Gate, GatePlan } from '../core/gate.ts';
import type { HiddenTestFiles } from '../core/hidden-tests-result.ts';
import type { Judge, PatchTask } from '../core/judge.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import type { ProjectFiles } from '../core/project-files.ts';
import type { RuleSettings } from '../core/rule-settings.ts';
import { listProgramIdentities } from '../tests/running/program-identities.ts';
import { joinFolder } from '../tests/running/tool-folders.ts';
import type { GatePipelineStep } from './gate-pipeline.ts';

/** Gates whose result changes while base and tree stay as they are. */
const UNCACHEABLE_GATES: ReadonlySet<string> = new Set([
  // New advisories come every day.
  'dep_audit',
  // Measures this machine at this time.
  'benchmark',
]);

export interface GateCacheKeyInput {
  readonly subject: PatchToCheck;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requiredGates: readonly string[];
  readonly task: PatchTask | null;
  readonly judge: Judge | null;
  readonly hiddenTests: HiddenTestFiles | null;
  /** Their dates count: what has ended since is another result. */
  readonly ruleSettings: RuleSettings | null;
  readonly executionEnvironment: ExecutionEnvironment;
}

/**
 * What a result is remembered by: everything that it depends on, as far as we know. Null: it is not to be remembered. The commit of
 * the base stands for its configuration, modules and lock files; a gate that asks a model also depends on the task and the model.
 */
export async function computeGateCacheKey(
  step: GatePipelineStep,
  options: GateCacheKeyInput,
): Promise<string | null> {
  const { gate } = step;
  if (UNCACHEABLE_GATES.has(gate.name)) return null;
  // How tests have fared elsewhere is a part of what it says.
  if (gate.name === 'tests' && options.settings['flaky_detection'] === true) return null;
  const { subject, settings, requiredGates, task, judge, hiddenTests, ruleSettings, executionEnvironment } =
    options;
  return canonicalHash({
    schema: 1,
    ...executionEnvironment,
    gate: gate.name,
    facts: gate.cacheFacts ?? null,
    moving: (await gate.readVolatileFacts?.(subject)) ?? null,
    condition: step.condition,
    command: step.command,
    asked: step.explicitlyEnabled,
    timeout_ms: step.timeoutMs,
    required: requiredGates,
    settings: Object.fromEntries(Object.keys(gate.settings).map((key) => [key, settings[key] ?? null])),
    tools: await identifyTools(step, options),
    base: subject.base,
    tree: subject.patched,
    // The same patch is another thing to check where it may change what steers the check.
    checked: subject.tree,
    expected_changes: task?.expectedChanges ?? null,
    hidden: hiddenTests?.map(({ path, mode, content }) => [path, mode, sha256(content)]) ?? null,
    rules: ruleSettings,
    judged: gate.asksModel ? { task, models: judge?.models ?? null } : null,
  });
}

/** The programs that a gate's command lines name, as they are on this machine: another version is another file. */
async function identifyTools(
  { gate, command, explicitlyEnabled }: GatePipelineStep,
  options: GateCacheKeyInput,
): Promise<string[]> {
  const { subject, settings } = options;
  const plan: GatePlan =
    command === null ? await planGateCommands(gate, subject, settings, explicitlyEnabled) : [{ command }];
  if (plan === 'ours') return [];
  const named = await Promise.all(
    plan.flatMap(({ command: line, folder = '', alternatives = [] }) =>
      [line, ...alternatives].map(async (each) =>
        listProgramIdentities(each, await subject.baseFile(joinFolder(folder, 'package.json'))),
      ),
    ),
  );
  return [...new Set(named.flat())].sort();
}

/** What a gate would run in a project when the pipeline gives it no command of its own. */
export async function planGateCommands(
  gate: Gate,
  project: ProjectFiles,
  settings: Readonly<Record<string, unknown>>,
  asked: boolean,
): Promise<GatePlan> {
  if (gate.plan) return gate.plan(project, settings, asked);
  for (const key of Object.keys(gate.settings)) {
    const command = settings[key];
    if (key.endsWith('_command') && typeof command === 'string') return [{ command }];
  }
  return 'ours';
}
