import { compared, type Issue } from '../../code/parsing/issue.ts';
import { CodeReader } from '../../code/reader.ts';
import type { Code } from '../../code/run.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import { languageOf } from '../../core/language.ts';
import type { Seen } from '../../core/seen.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { commentIssues } from './judge.ts';

/** What is wrong with the documentation that the patch changes, or leaves behind by changing a signature. */
export async function commentsSeen({
  changed,
  store,
  until,
}: Pick<Code, 'changed' | 'store' | 'until'>): Promise<readonly Seen[]> {
  const reader = new CodeReader(store, until);
  await reader.prepare(
    changed.flatMap(({ before, after }) => [before, after].filter((file) => file !== null)),
  );
  const issues = async (file: CodeFile): Promise<Issue[]> => {
    const root = await reader.read(file);
    return root ? commentIssues(root, languageOf(file.grammar)) : [];
  };
  const seen: Seen[] = [];
  for (const { path, before, after } of changed) {
    if (!after || isTestPath(path)) continue;
    for (const each of compared(path, before ? await issues(before) : [], await issues(after)))
      seen.push(each);
  }
  return seen;
}
