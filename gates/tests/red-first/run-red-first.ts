import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import { readChangedFileTexts } from '../../core/changed-texts.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../core/gate-finding.ts';
import { isPossibleTestSourceName } from '../../core/test-result.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import { findReportInOutput } from '../../reports/read-any-report.ts';
import type { ToolReport } from '../../reports/tool-report.ts';
import { writeBaseTreeWithPatchTests } from '../experiments/trees/changed-tests.ts';
import { runAndEvaluateTests, runTests } from '../gate-runs/run-tests.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';

/** Most test files that are run one by one. */
const MAX_FILES = 20;
const PLACEHOLDER = '{files}';

/** A test file of the patch, with the names of the cases that are new or were changed in it. */
interface NewTestFile {
  readonly path: string;
  readonly names: readonly string[];
}

/** Runs new and changed tests on the code of the base, where they must fail, and on the patch, where they must pass. */
export async function runRedFirstGate(context: GateContext, command: string): Promise<GateResult> {
  const { subject } = context;
  const { texts } = await readChangedFileTexts(subject, isCodePath);
  const tests: NewTestFile[] = [];
  for (const { path, basePath, before, after } of texts) {
    if (after === null || !isTestPath(path)) continue;
    const known = new Set(
      before === null ? [] : ((await parseTestCases(basePath ?? path, before)) ?? []).map(({ text }) => text),
    );
    const names = ((await parseTestCases(path, after)) ?? []).flatMap(({ name, text }) =>
      known.has(text) ? [] : [name],
    );
    if (names.length > 0) tests.push({ path, names });
  }
  const result = (outcome: GateResult['outcome'], detail: string): GateResult => ({
    outcome,
    kind: 'executed',
    findings: [],
    detail,
    metadata: { command, new_tests: tests.reduce((sum, { names }) => sum + names.length, 0) },
  });
  if (tests.length === 0) return { ...result('skipped', 'no test case is new or changed'), kind: 'checked' };
  const files = tests.map(({ path }) => path);
  const green = await runAndEvaluateTests(
    context,
    lineFor(command, files),
    subject.tree,
    () => context.timeoutMs,
  );
  if (green.outcome !== 'passed')
    return result(green.outcome, `the new tests do not pass on the patch: ${green.detail}`);
  const tree = await writeBaseTreeWithPatchTests(subject);
  // The question is what the base says of these tests: nothing else of the patch is to have a word in it.
  subject.sandboxes.runExclusively(tree);
  const seen: GateFinding[] = [];
  const unclear: string[] = [];
  for (const group of command.includes(PLACEHOLDER)
    ? tests.slice(0, MAX_FILES).map((each) => [each])
    : [tests]) {
    const ran = await run(
      context,
      lineFor(
        command,
        group.map(({ path }) => path),
      ),
      tree,
    );
    const { outcome, detail } = ran;
    if (outcome !== 'passed' && outcome !== 'failed') unclear.push(detail);
    else seen.push(...findTestsPassingOnBase(group, ran, outcome === 'passed'));
  }
  if (unclear.length > 0)
    return result('could_not_run', `the new tests could not be run on the base: ${unclear[0]}`);
  if (seen.length === 0 && !command.includes(PLACEHOLDER)) {
    // A suite that is red without the new tests says nothing about them.
    const alone = await run(context, command, subject.base);
    const report = createFailedTestLookup((await run(context, command, tree)).report);
    if (alone.outcome !== 'passed' && report === null)
      return result('could_not_run', `the tests of the base do not pass by themselves: ${alone.detail}`);
  }
  return {
    ...buildGateResult(seen, 'every new or changed test fails without the patch, and passes with it'),
    kind: 'executed',
    metadata: result('passed', '').metadata ?? {},
  };
}

/** New tests that pass without the patch: by name where the runner reports names, else all of a run that passed. */
function findTestsPassingOnBase(
  tests: readonly NewTestFile[],
  ran: CompletedCommandRun,
  passed: boolean,
): GateFinding[] {
  const report = createFailedTestLookup(ran.report);
  return tests.flatMap(({ path, names }) => {
    const green = passed ? names : report === null ? [] : names.filter((name) => !report.hasFailed(name));
    // A file that cannot even be loaded is reported under its own name: all of its tests have failed.
    if (!passed && green.length === names.length && report?.hasFailed(path)) return [];
    return green.map((name) => ({
      file: path,
      line: null,
      rule: 'passes_without_patch',
      message: `the test "${name}" passes on the code of the base too, so it does not show what the patch does`,
      severity: 'error' as const,
    }));
  });
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
const lineFor = (command: string, files: readonly string[]): string =>
  command.replaceAll(PLACEHOLDER, () => files.map(quoted).join(' '));

const run = ({ subject, timeoutMs }: GateContext, line: string, tree: string): Promise<CompletedCommandRun> =>
  runTests(subject, line, tree, timeoutMs);

/** Results of single tests, from a report of a test command. */
interface FailedTestLookup {
  /** Whether a test of this name, or all of a file of this name, failed. */
  hasFailed(name: string): boolean;
}

/** What a report says; null when it names no tests. */
export function createFailedTestLookup(report: ToolReport | null): FailedTestLookup | null {
  if (report === null || report.cases === null) return null;
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
  // What failed without a test, such as a package that does not compile, is only complained about.
  const all = [...failed, ...report.findings.flatMap(({ test }) => test ?? [])];
  return { hasFailed: (name) => all.some((each) => isPossibleTestSourceName(each, name) || each === name) };
}

/** Results in the output of a command: TAP or JUnit XML; null when it has neither, or not all of it is there. */
export const readFailedTests = async (output: string, cutBytes: number): Promise<FailedTestLookup | null> =>
  createFailedTestLookup((await findReportInOutput(output, cutBytes, '')).report);
