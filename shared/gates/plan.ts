import type { Gate, Plan } from './gate.ts';
import type { Subject } from './subject.ts';

/** What a gate would run in a project when the pipeline gives it no command of its own. */
export async function planOf(
  gate: Gate,
  project: Pick<Subject, 'baseFile'>,
  settings: Readonly<Record<string, unknown>>,
): Promise<Plan> {
  if (gate.plan) return gate.plan(project, settings);
  for (const key of Object.keys(gate.settings)) {
    const command = settings[key];
    if (key.endsWith('_command') && typeof command === 'string') return { command };
  }
  return 'ours';
}
