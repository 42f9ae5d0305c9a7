import { join, normalize } from 'node:path/posix';
import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import type { Finding } from '../../../shared/contract/evidence/schema.ts';
import { getBasePath } from '../../../workspace/git/file-changes.ts';
import type { PatchSubject } from '../../core/patch-subject.ts';
import { findReachedScripts } from './find-reached-scripts.ts';

export interface CommandOutcome {
  readonly outcome: CheckOutcome;
  readonly detail: string;
}
export interface CommandOutcomeWithFindings extends CommandOutcome {
  readonly findings: readonly Finding[];
}

/**
 * Runs a command on the patch, and when it passes, again with the base version of the scripts that the command runs. It has passed
 * only when both do.
 * @param folder folder of the checkout that the command runs in; '' is the top.
 */
export async function runWithBaseScripts(
  subject: PatchSubject,
  command: string,
  execute: (tree: string) => Promise<CommandOutcome>,
  folder = '',
): Promise<CommandOutcomeWithFindings> {
  const scripts = await listChangedScripts(subject, command, folder);
  const findings = scripts.map(
    (file): Finding => ({
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
async function listChangedScripts(subject: PatchSubject, command: string, folder: string): Promise<string[]> {
  const changed = new Set(
    subject.changes.flatMap((change) => {
      const path = getBasePath(change);
      return path === null || subject.changedBaseTests.includes(path) ? [] : [path];
    }),
  );
  if (changed.size === 0) return [];
  const fromTop = (path: string): string => normalize(join(folder, path));
  const scripts = await findReachedScripts(command, (path) => subject.baseFile(fromTop(path)));
  return [...scripts].map(fromTop).filter((script) => changed.has(script));
}
