import { CodeReader } from '../../code/reader.ts';
import { lookAtCode } from '../../code/run.ts';
import { testReach } from '../../code/tests.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { grammarOf } from '../../core/language.ts';
import { resultOf, type Seen } from '../../core/seen.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { protection } from '../protect/table.ts';

/** Changed code that no test imports, directly or through others. */
export const lookForUntested = (context: GateContext): Promise<GateResult> =>
  lookAtCode(context, async ({ project, changed, until }) => {
    const reader = new CodeReader(context.subject.store, until);
    const reach = testReach(project.head);
    const files = changed.flatMap(({ after }) => (after && wantsTests(after.path) ? [after] : []));
    const seen: Seen[] = [];
    for (const file of files) {
      if (reach.of(file.path).length > 0 || (await testsItself(file, reader))) continue;
      const [named] = reach.namedAfter(file.path);
      const how =
        named === undefined ? 'no test imports it' : `no test imports it, though ${named} is named after it`;
      seen.push({ file: file.path, line: null, rule: 'needs_test', message: how, weight: 'reported' });
    }
    return resultOf(
      seen,
      `${files.length - seen.length} of ${files.length} changed files are reached by a test`,
      {
        needs_coverage: seen.length,
      },
    );
  });

/** Types without code, tests, and what only steers tools need no test. */
const wantsTests = (path: string): boolean =>
  !isTestPath(path) && !/\.(?:pyi|d\.[cm]?ts)$/.test(path) && protection(path) === null;

/** Rust has its unit tests in the same file. */
const testsItself = async (file: CodeFile, reader: CodeReader): Promise<boolean> =>
  grammarOf(file.path) === 'rust' &&
  /#\[\s*(?:cfg\s*\(\s*test\b|(?:\w+::)*test\b)/.test((await reader.text(file)) ?? '');
