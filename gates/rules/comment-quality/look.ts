import { compared, type Issue } from '../../code/issue.ts';
import { languageOf } from '../../code/language.ts';
import { readabilityOf } from '../../code/readable.ts';
import { CodeReader } from '../../code/reader.ts';
import { lookAtCode } from '../../code/run.ts';
import { resultOf, type Seen } from '../../code/seen.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import type { GateContext, GateResult } from '../../engine/gate.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import type { Style } from './documented.ts';
import { commentIssues } from './judge.ts';

/** What is wrong with the documentation that the patch changes, or leaves behind by changing a signature. */
export const lookAtComments = (context: GateContext, style: Style): Promise<GateResult> =>
  lookAtCode(context, async (project, changed, until) => {
    const { store } = context.subject;
    const reader = new CodeReader(store, until);
    await reader.prepare(
      changed.flatMap(({ before, after }) => [before, after].filter((file) => file !== null)),
    );
    const issues = async (file: CodeFile): Promise<Issue[]> => {
      const root = await reader.read(file);
      return root ? commentIssues(root, languageOf(file.grammar), style) : [];
    };
    const seen: Seen[] = [];
    for (const { path, before, after } of changed) {
      if (!after || isTestPath(path)) continue;
      for (const each of compared(path, before ? await issues(before) : [], await issues(after)))
        seen.push(each);
    }
    const unread = await readabilityOf(store, project, changed);
    return resultOf(
      [...seen, ...unread],
      `the documentation in ${changed.length} changed files fits the code`,
    );
  });
