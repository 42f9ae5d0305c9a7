import type { Gate, GatePlan } from '../core/gate.ts';
import type { ProjectFiles } from '../core/project-files.ts';

/** What a gate would run in a project when the pipeline gives it no command of its own. */
export async function planGate(
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
