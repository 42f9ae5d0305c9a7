import type { ChangedCode } from '../../code/changed-code.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { moduleOfPath } from '../../code/import-graph.ts';
import { runOnPatchCode } from '../../code/patch-code.ts';
import type { ProjectCode } from '../../code/project-code.ts';
import { isTestFile } from '../../code/test-reachability.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { type Language, languageOfGrammar } from '../../core/language.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { type MutationOptions, runMutation } from './run-mutation.ts';

/** Paths by language. */
function groupPathsByLanguage(files: readonly CodeFile[]): Map<Language, string[]> {
  const found = new Map<Language, string[]>();
  for (const { path, grammar } of files) {
    const language = languageOfGrammar(grammar);
    found.set(language, [...(found.get(language) ?? []), path]);
  }
  return found;
}

/** What a mutation gate changes: the code of the patch, or the code that its tests are about. */
export type MutationTarget = 'changed_code' | 'code_under_changed_tests';

/** Runs a mutation gate on the code that it aims at. */
export const runMutationGate = (
  context: GateContext,
  aim: MutationTarget,
  options: Omit<MutationOptions, 'files'>,
): Promise<GateResult> =>
  runOnPatchCode(context, async ({ project, changed }) => {
    const files = aim === 'changed_code' ? listChangedSources(changed) : listCodeUnderTest(project, changed);
    if (files.length > 0) return runMutation(context, { ...options, files: groupPathsByLanguage(files) });
    const detail =
      aim === 'changed_code' ? 'only tests were changed' : 'the changed tests import no code of the project';
    return { outcome: 'skipped', kind: 'checked', findings: [], detail };
  });

const isTyped = (path: string): boolean => /\.(?:pyi|d\.[cm]?ts)$/.test(path);

const listChangedSources = (changed: readonly ChangedCode[]): CodeFile[] =>
  changed.flatMap(({ after }) => (after && !isTestPath(after.path) && !isTyped(after.path) ? [after] : []));

/** What the changed tests import directly; a test of Go is about its own package. */
function listCodeUnderTest({ head }: ProjectCode, changed: readonly ChangedCode[]): CodeFile[] {
  const modules = changed
    .flatMap(({ after }) => (after && isTestFile(after.path) ? [after] : []))
    .flatMap(({ path }) => head.importGraph.outgoingEdges.get(moduleOfPath(path)) ?? [])
    .map(({ to }) => to);
  return [...new Set(modules)]
    .flatMap((module) => head.filesOfModule(module))
    .filter(({ path }) => !isTestPath(path) && !isTyped(path));
}
