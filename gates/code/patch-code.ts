import type { FileChange } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readThreadCpuMs } from '../../workspace/process/cpu-time.ts';
import type { GateContext, GateResult } from '../core/gate.ts';
import { type ChangedCodeFile, listChangedCodeFiles } from './changed-code.ts';
import { CpuBudgetExceededError } from './parsing/cpu-budget.ts';
import { type ProjectCodeRevisions, readProjectCodeRevisions } from './project-code.ts';

/** The code on both sides of a patch, and what of it was changed. */
export interface PatchCode {
  readonly project: ProjectCodeRevisions;
  readonly changed: readonly ChangedCodeFile[];
  readonly store: GitStore;
  readonly changes: readonly FileChange[];
  /** Time to give up, as `readThreadCpuMs()` counts. */
  readonly deadlineCpuMs: number;
}

/** The code that a patch is about. @throws CpuBudgetExceededError */
export async function readPatchCode(
  patch: {
    readonly store: GitStore;
    readonly base: string;
    readonly patched: string;
    readonly changes: readonly FileChange[];
  },
  until: number,
): Promise<PatchCode> {
  const { store, changes } = patch;
  const project = await readProjectCodeRevisions(patch, until);
  return { project, changed: listChangedCodeFiles(project, changes), store, changes, deadlineCpuMs: until };
}

/**
 * Lets a gate look at the code on both sides of the patch, within its time.
 * @param look gets code of which something was changed.
 */
export async function runPatchCodeCheck(
  { subject, timeoutMs }: GateContext,
  look: (code: PatchCode) => Promise<GateResult>,
): Promise<GateResult> {
  const none = { kind: 'checked', findings: [] } as const;
  try {
    const code = await readPatchCode(subject, readThreadCpuMs() + timeoutMs);
    if (code.changed.length > 0) return await look(code);
    return {
      ...none,
      outcome: 'skipped',
      detail: 'no code of Python, JavaScript, TypeScript, Go or Rust was changed',
    };
  } catch (error) {
    if (error instanceof CpuBudgetExceededError)
      return { ...none, outcome: 'timed_out', detail: error.message };
    throw error;
  }
}
