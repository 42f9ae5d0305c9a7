import { canonicalHash } from '../../shared/lib/canonical.ts';
import type { Plan } from '../core/gate.ts';
import type { HiddenTests } from '../core/hidden-result.ts';
import type { Judge, JudgedTask } from '../core/judge.ts';
import type { RuleSettings } from '../core/rule-settings.ts';
import type { Subject } from '../core/subject.ts';
import type { Surroundings } from '../core/surroundings.ts';
import { inFolder } from '../tests/running/folders.ts';
import { programsIn } from '../tests/running/programs.ts';
import type { Step } from './pipeline.ts';
import { planOf } from './plan.ts';

/** Gates whose result changes while base and tree stay as they are. */
const NOT_REMEMBERED: ReadonlySet<string> = new Set([
  // New advisories come every day.
  'dep_audit',
  // Measures this machine at this time.
  'benchmark',
]);

export interface KeyOptions {
  readonly subject: Subject;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly task: JudgedTask | null;
  readonly judge: Judge | null;
  readonly hidden: HiddenTests | null;
  /** Their dates count: what has ended since is another result. */
  readonly rules: RuleSettings | null;
  readonly surroundings: Surroundings;
}

/**
 * What a result is remembered by: everything that it depends on, as far as we know. Null: it is not to be remembered. The commit of
 * the base stands for its configuration, modules and lock files; a gate that asks a model also depends on the task and the model.
 */
export async function keyOf(step: Step, options: KeyOptions): Promise<string | null> {
  const { gate } = step;
  if (NOT_REMEMBERED.has(gate.name)) return null;
  // How tests have fared elsewhere is a part of what it says.
  if (gate.name === 'tests' && options.settings['flaky_detection'] === true) return null;
  const { subject, settings, required, task, judge, hidden, rules, surroundings } = options;
  return canonicalHash({
    schema: 1,
    ...surroundings,
    gate: gate.name,
    facts: gate.facts ?? null,
    moving: (await gate.moving?.(subject)) ?? null,
    condition: step.condition,
    command: step.command,
    asked: step.asked,
    timeout_ms: step.timeoutMs,
    required,
    settings: Object.fromEntries(Object.keys(gate.settings).map((key) => [key, settings[key] ?? null])),
    tools: await toolsOf(step, options),
    base: subject.base,
    tree: subject.patched,
    // The same patch is another thing to check where it may change what steers the check.
    checked: subject.tree,
    expects: task?.expects ?? null,
    hidden: hidden?.map(({ path, to }) => [path, to?.id ?? null]) ?? null,
    rules,
    judged: gate.judged ? { task, models: judge?.models ?? null } : null,
  });
}

/** The programs that a gate's command lines name, as they are on this machine: another version is another file. */
async function toolsOf({ gate, command, asked }: Step, options: KeyOptions): Promise<string[]> {
  const { subject, settings } = options;
  const plan: Plan = command === null ? await planOf(gate, subject, settings, asked) : [{ command }];
  if (plan === 'ours') return [];
  const named = await Promise.all(
    plan.flatMap(({ command: line, folder = '', instead = [] }) =>
      [line, ...instead].map(async (each) =>
        programsIn(each, await subject.baseFile(inFolder(folder, 'package.json'))),
      ),
    ),
  );
  return [...new Set(named.flat())].sort();
}
