import { join, normalize } from 'node:path/posix';
import type { Outcome } from '../../shared/evidence/outcome.ts';
import type { Finding } from '../../shared/evidence/schema.ts';
import { basePath } from '../checkout/changes.ts';
import { findingsOf, protecting } from '../rules/tests/changes.ts';
import { reachedScripts } from '../tool-run/reached-scripts.ts';
import type { Subject } from './subject.ts';

export interface Judged {
  readonly outcome: Outcome;
  readonly detail: string;
}
export interface Guarded extends Judged {
  readonly findings: readonly Finding[];
}

/**
 * Runs a command on the patch, and when it passes, again on what the patch took away from it: the base version of the scripts
 * that the command runs and, when `tests` is set, of deleted and weakened tests. It has passed only when both do. A test
 * that was changed, but not weakened, may disagree with its base version; that is reported and does not fail.
 * @param folder folder of the checkout that the command runs in; '' is the top.
 */
export async function guarded(
  subject: Subject,
  command: string,
  execute: (tree: string, restored: readonly string[]) => Promise<Judged>,
  tests: boolean,
  folder = '',
): Promise<Guarded> {
  const scripts = await changedScripts(subject, command, folder);
  const touched = tests ? subject.tests : [];
  const findings: Finding[] = [
    ...findingsOf(touched),
    ...scripts.map((file) => ({
      file,
      line: null,
      rule: 'check_script_changed',
      message: 'the patch changes a script that this check runs; its base version was run too',
    })),
  ];
  const first = await execute(subject.tree, []);
  if (first.outcome !== 'passed') return { ...first, findings };

  const taken = [...protecting(touched).map(({ path }) => path), ...scripts];
  if (taken.length > 0) {
    const again = await execute(await subject.withBase(taken), taken);
    if (again.outcome !== 'passed')
      return {
        outcome: again.outcome,
        detail: `passes as the patch has it, but not with the base version of ${taken.join(', ')}: ${again.detail}`,
        findings,
      };
  }
  const changed = touched.filter(({ kind }) => kind === 'modified').map(({ path }) => path);
  if (changed.length === 0) return { ...first, findings };
  const before = await execute(await subject.withBase(changed), changed);
  if (before.outcome !== 'failed') return { ...first, findings };
  return { ...first, findings: [...findings, ...changed.map(disagrees)] };
}

const disagrees = (file: string): Finding => ({
  file,
  line: null,
  rule: 'test_base_version_fails',
  message: 'the patch changes these tests, and in their base version they do not pass on the new code',
});

/** The scripts of the command that the patch changes or removes; tests among them are looked at as tests. */
async function changedScripts(subject: Subject, command: string, folder: string): Promise<string[]> {
  const changed = new Set(
    subject.changes.flatMap((change) => {
      const path = basePath(change);
      return path === null || subject.tests.some((test) => test.path === path) ? [] : [path];
    }),
  );
  if (changed.size === 0) return [];
  const fromTop = (path: string): string => normalize(join(folder, path));
  const scripts = await reachedScripts(command, (path) => subject.baseFile(fromTop(path)));
  return [...scripts].map(fromTop).filter((script) => changed.has(script));
}
