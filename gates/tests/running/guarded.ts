import { join, normalize } from 'node:path/posix';
import type { Finding } from '../../../shared/contract/evidence/schema.ts';
import type { Outcome } from '../../../shared/contract/outcome.ts';
import { basePath } from '../../../workspace/git/changes.ts';
import type { Subject } from '../../core/subject.ts';
import { reachedScripts } from './reached-scripts.ts';

export interface Judged {
  readonly outcome: Outcome;
  readonly detail: string;
}
export interface Guarded extends Judged {
  readonly findings: readonly Finding[];
}

/**
 * Runs a command on the patch, and when it passes, again with the base version of the scripts that the command runs. It has passed
 * only when both do.
 * @param folder folder of the checkout that the command runs in; '' is the top.
 */
export async function guarded(
  subject: Subject,
  command: string,
  execute: (tree: string) => Promise<Judged>,
  folder = '',
): Promise<Guarded> {
  const scripts = await changedScripts(subject, command, folder);
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
  const again = await execute(await subject.withBase(scripts));
  if (again.outcome === 'passed') return { ...first, findings };
  return {
    outcome: again.outcome,
    detail: `passes as the patch has it, but not with the base version of ${scripts.join(', ')}: ${again.detail}`,
    findings,
  };
}

/** The scripts of the command that the patch changes or removes; tests among them are run as tests. */
async function changedScripts(subject: Subject, command: string, folder: string): Promise<string[]> {
  const changed = new Set(
    subject.changes.flatMap((change) => {
      const path = basePath(change);
      return path === null || subject.touchedTests.includes(path) ? [] : [path];
    }),
  );
  if (changed.size === 0) return [];
  const fromTop = (path: string): string => normalize(join(folder, path));
  const scripts = await reachedScripts(command, (path) => subject.baseFile(fromTop(path)));
  return [...scripts].map(fromTop).filter((script) => changed.has(script));
}
