import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { type CodeIssue, compareCodeIssues } from '../../code/parsing/code-issue.ts';
import type { PatchCode } from '../../code/patch-code.ts';
import { SyntaxTreeReader } from '../../code/syntax-reader.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { languageOfGrammar } from '../../core/language.ts';
import { findDocIssues } from './doc-issues.ts';

/** What is wrong with the documentation that the patch changes, or leaves behind by changing a signature. */
export async function findDocumentationFindings({
  changed,
  store,
  deadlineCpuMs,
}: Pick<PatchCode, 'changed' | 'store' | 'deadlineCpuMs'>): Promise<readonly GateFinding[]> {
  const reader = new SyntaxTreeReader(store, deadlineCpuMs);
  await reader.prefetch(
    changed.flatMap(({ before, after }) => [before, after].filter((file) => file !== null)),
  );
  const issues = async (file: CodeFile): Promise<CodeIssue[]> => {
    const root = await reader.readSyntax(file);
    return root ? findDocIssues(root, languageOfGrammar(file.grammar)) : [];
  };
  const seen: GateFinding[] = [];
  for (const { path, before, after } of changed) {
    if (!after || isTestPath(path)) continue;
    for (const each of compareCodeIssues(path, before ? await issues(before) : [], await issues(after)))
      seen.push(each);
  }
  return seen;
}
