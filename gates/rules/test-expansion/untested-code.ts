import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { runPatchCodeCheck } from '../../code/patch-code.ts';
import { SyntaxTreeReader } from '../../code/syntax-reader.ts';
import { readTestReachability } from '../../code/test-reachability.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../core/gate-finding.ts';
import { grammarOfPath } from '../../core/language.ts';
import { findFileProtection } from '../protect/protection-lookup.ts';

/** Changed code that no test imports, directly or through others. */
export const checkUntestedCode = (context: GateContext): Promise<GateResult> =>
  runPatchCodeCheck(context, async ({ project, changed, deadlineCpuMs }) => {
    const reader = new SyntaxTreeReader(context.subject.store, deadlineCpuMs);
    const reach = readTestReachability(project.head);
    const files = changed.flatMap(({ after }) => (after && wantsTests(after.path) ? [after] : []));
    const seen: GateFinding[] = [];
    for (const file of files) {
      if (reach.testsReaching(file.path).length > 0 || (await testsItself(file, reader))) continue;
      const [named] = reach.testsNamedAfter(file.path);
      const how =
        named === undefined ? 'no test imports it' : `no test imports it, though ${named} is named after it`;
      seen.push({ file: file.path, line: null, rule: 'needs_test', message: how, severity: 'info' });
    }
    return buildGateResult(
      seen,
      `${files.length - seen.length} of ${files.length} changed files are reached by a test`,
      {
        needs_coverage: seen.length,
      },
    );
  });

/** Types without code, tests, and what only steers tools need no test. */
const wantsTests = (path: string): boolean =>
  !isTestPath(path) && !/\.(?:pyi|d\.[cm]?ts)$/.test(path) && findFileProtection(path) === null;

/** Rust has its unit tests in the same file. */
const testsItself = async (file: CodeFile, reader: SyntaxTreeReader): Promise<boolean> =>
  grammarOfPath(file.path) === 'rust' &&
  /#\[\s*(?:cfg\s*\(\s*test\b|(?:\w+::)*test\b)/.test((await reader.readText(file)) ?? '');
