import type { GateContext, GateResult } from '../engine/gate.ts';
import { type ChangedCode, changedCode } from './changed.ts';
import { type Project, projectOf } from './project.ts';
import { OutOfTime } from './turns.ts';

/**
 * Lets a gate look at the code on both sides of the patch, within its time.
 * @param look gets the changed code, which is never empty, and when to give up, as `performance.now()` counts.
 */
export async function lookAtCode(
  { subject, timeoutMs }: GateContext,
  look: (project: Project, changed: readonly ChangedCode[], until: number) => Promise<GateResult>,
): Promise<GateResult> {
  const none = { kind: 'checked_by_us', findings: [] } as const;
  try {
    const until = performance.now() + timeoutMs;
    const project = await projectOf(subject, until);
    const changed = changedCode(project, subject.changes);
    if (changed.length > 0) return await look(project, changed, until);
    return {
      ...none,
      outcome: 'skipped',
      detail: 'no code of Python, JavaScript, TypeScript, Go or Rust was changed',
    };
  } catch (error) {
    if (error instanceof OutOfTime) return { ...none, outcome: 'timed_out', detail: error.message };
    throw error;
  }
}
