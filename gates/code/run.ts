import type { Change } from '../../workspace/git/changes.ts';
import type { Store } from '../../workspace/git/store.ts';
import { ownCpuMs } from '../../workspace/process/cpu-time.ts';
import type { GateContext, GateResult } from '../core/gate.ts';
import { type ChangedCode, changedCode } from './changed.ts';
import { OutOfTime } from './parsing/turns.ts';
import { type Project, projectOf } from './project.ts';

/** The code on both sides of a patch, and what of it was changed. */
export interface Code {
  readonly project: Project;
  readonly changed: readonly ChangedCode[];
  readonly store: Store;
  readonly changes: readonly Change[];
  /** When to give up, as `ownCpuMs()` counts. */
  readonly until: number;
}

/** The code that a patch is about. @throws OutOfTime */
export async function codeOf(
  patch: {
    readonly store: Store;
    readonly base: string;
    readonly patched: string;
    readonly changes: readonly Change[];
  },
  until: number,
): Promise<Code> {
  const { store, changes } = patch;
  const project = await projectOf(patch, until);
  return { project, changed: changedCode(project, changes), store, changes, until };
}

/**
 * Lets a gate look at the code on both sides of the patch, within its time.
 * @param look gets code of which something was changed.
 */
export async function lookAtCode(
  { subject, timeoutMs }: GateContext,
  look: (code: Code) => Promise<GateResult>,
): Promise<GateResult> {
  const none = { kind: 'checked_by_us', findings: [] } as const;
  try {
    const code = await codeOf(subject, ownCpuMs() + timeoutMs);
    if (code.changed.length > 0) return await look(code);
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
