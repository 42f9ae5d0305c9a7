import { join, normalize } from 'node:path/posix';
import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import type { CheckFinding } from '../../../shared/contract/evidence/schema.ts';
import { getPathInBase } from '../../../workspace/git/file-changes.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { findScriptsRunByCommand } from './find-reached-scripts.ts';

export interface CommandCheckOutcome {
  readonly outcome: CheckOutcome;
  readonly detail: string;
}
export interface CommandCheckOutcomeWithFindings extends CommandCheckOutcome {
  readonly findings: readonly CheckFinding[];
}

/**
 * Runs a command on the patch, and when it passes, again with the base version of the scripts that the command runs. It has passed
 * only when both do.
 * @param folder folder of the checkout that the command runs in; '' is the top.
 */
export async function rerunCommandWithBaseScripts(
  subject: PatchToCheck,
  command: string,
  execute: (tree: string) => Promise<CommandCheckOutcome>,
  folder = '',
): Promise<CommandCheckOutcomeWithFindings> {
  const scripts = await listChangedScripts(subject, command, folder);
  const findings = scripts.map(
    (file): CheckFinding => ({
      file,
      line: null,
      rule: 'check_script_changed',
      message: 'the patch changes a script that this check runs; its base version was run too',
    }),
  );
  const first = await execute(subject.tree);
  if (first.outcome !== 'passed' || scripts.length === 0) return { ...first, findings };
  const again = await execute(await subject.withBaseFiles(scripts));
  if (again.outcome === 'passed') return { ...first, findings };
  return {
    outcome: again.outcome,
    detail: `passes as the patch has it, but not with the base version of ${scripts.join(', ')}: ${again.detail}`,
    findings,
  };
}

/** The scripts of the command that the patch changes or removes; tests among them are run as tests. */
async function listChangedScripts(subject: PatchToCheck, command: string, folder: string): Promise<string[]> {
  const changed = new Set(
    subject.changes.flatMap((change) => {
      const path = getPathInBase(change);
      return path === null || subject.changedBaseTests.includes(path) ? [] : [path];
    }),
  );
  if (changed.size === 0) return [];
  const fromTop = (path: string): string => normalize(join(folder, path));
  const { files: scripts } = await findScriptsRunByCommand(command, (path) =>
    subject.baseFile(fromTop(path)),
  );
  return [...scripts].map(fromTop).filter((script) => changed.has(script));
}
