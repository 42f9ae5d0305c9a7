import type { ChangedCode } from '../../code/changed.ts';
import { moduleOf } from '../../code/imports.ts';
import type { Project } from '../../code/project.ts';
import { lookAtCode } from '../../code/run.ts';
import { isTestFile } from '../../code/tests.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { byLanguage } from './changed-files.ts';
import { type MutationOptions, runMutation } from './run.ts';

/** What a mutation gate changes: the code of the patch, or the code that its tests are about. */
export type Aim = 'changed_code' | 'code_under_changed_tests';

/** Runs a mutation gate on the code that it aims at. */
export const lookByMutation = (
  context: GateContext,
  settings: Readonly<Record<string, unknown>>,
  aim: Aim,
  options: Omit<MutationOptions, 'files'>,
): Promise<GateResult> =>
  lookAtCode(context, async ({ project, changed }) => {
    const files = aim === 'changed_code' ? changedCode(changed) : underTest(project, changed);
    if (files.length > 0) return runMutation(context, settings, { ...options, files: byLanguage(files) });
    const detail =
      aim === 'changed_code' ? 'only tests were changed' : 'the changed tests import no code of the project';
    return { outcome: 'skipped', kind: 'checked_by_us', findings: [], detail };
  });

const isTyped = (path: string): boolean => /\.(?:pyi|d\.[cm]?ts)$/.test(path);

const changedCode = (changed: readonly ChangedCode[]): CodeFile[] =>
  changed.flatMap(({ after }) => (after && !isTestPath(after.path) && !isTyped(after.path) ? [after] : []));

/** What the changed tests import directly; a test of Go is about its own package. */
function underTest({ head }: Project, changed: readonly ChangedCode[]): CodeFile[] {
  const modules = changed
    .flatMap(({ after }) => (after && isTestFile(after.path) ? [after] : []))
    .flatMap(({ path }) => head.graph.from.get(moduleOf(path)) ?? [])
    .map(({ to }) => to);
  return [...new Set(modules)]
    .flatMap((module) => head.filesOf(module))
    .filter(({ path }) => !isTestPath(path) && !isTyped(path));
}
