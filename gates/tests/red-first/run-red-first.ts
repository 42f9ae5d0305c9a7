import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import { readChangedFileTexts } from '../../core/changed-texts.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../core/gate-finding.ts';
import { isPossibleTestSourceName } from '../../core/test-result.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import { languageOfPath } from '../../languages/languages.ts';
import { findReportInOutput } from '../../reports/read-any-report.ts';
import type { ToolReport } from '../../reports/tool-report.ts';
import type { BaselineResultProvider } from '../comparing/baseline-lookup.ts';
import {
  readChangedBaseTestFiles,
  writeBaseTreeWithChangedPatchTests,
} from '../experiments/trees/changed-tests.ts';
import { createTestBaselineLookup, runAndEvaluateTests, runTests } from '../gate-runs/run-tests.ts';
import { openToolTestSuite } from '../gate-runs/run-tools.ts';
import type { PlannedToolRun } from '../running/choose-tools.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import { missingToolMessage } from '../running/tool-version.ts';

/** Most test files that are run one by one. */
const MAX_FILES = 20;
const PLACEHOLDER = '{files}';

/** A test file of the patch, with the names of the cases that are new or were changed in it. */
interface NewTestFile {
  readonly path: string;
  readonly names: readonly string[];
}

/** Runs new and changed tests on the code of the base, where they must fail, and on the patch, where they must pass. */
export async function runRedFirstGate(context: GateContext, plan: RedFirstPlan): Promise<GateResult> {
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
    facts: {
      command: describePlan(plan),
      new_tests: tests.reduce((sum, { names }) => sum + names.length, 0),
    },
  });
  if (tests.length === 0) return { ...result('skipped', 'no test case is new or changed'), kind: 'checked' };
  const suites = await openSuites(context, plan, tests);
  if (typeof suites === 'string') return result('could_not_run', suites);
  for (const { evaluatePatch } of suites) {
    const green = await evaluatePatch();
    if (green.outcome !== 'passed')
      return result(green.outcome, `the new tests do not pass on the patch: ${green.detail}`);
  }
  const tree = await writeBaseTreeWithChangedPatchTests(subject, await readChangedBaseTestFiles(subject));
  // The question is what the base says of these tests: nothing else of the patch is to have a word in it.
  subject.sandboxes.runExclusively(tree);
  const seen: GateFinding[] = [];
  for (const suite of suites) {
    const found: GateFinding[] = [];
    let isNamed = true;
    for (const { tests: group, run } of suite.runs) {
      const ran = await run(tree);
      const { outcome, detail } = ran;
      if (outcome !== 'passed' && outcome !== 'failed')
        return result('could_not_run', `the new tests could not be run on the base: ${detail}`);
      found.push(...findTestsPassingOnBase(group, ran, outcome === 'passed'));
      isNamed &&= createFailedTestLookup(ran.report) !== null;
    }
    seen.push(...found);
    // A suite that is red without the new tests says nothing about them.
    const alone = found.length > 0 || isNamed ? null : await suite.getBaseline?.();
    if (alone && alone.outcome !== 'passed')
      return result('could_not_run', `the tests of the base do not pass by themselves: ${alone.detail}`);
  }
  return {
    ...buildGateResult(seen, 'every new or changed test fails without the patch, and passes with it'),
    kind: 'executed',
    facts: result('passed', '').facts ?? {},
  };
}

const describePlan = (plan: RedFirstPlan): string =>
  'command' in plan ? plan.command : [...new Set(plan.tools.map(({ tool }) => tool.name))].join(', ');

/** What runs the new tests: one command line, or the test tools of the project's languages. */
export type RedFirstPlan = { readonly command: string } | { readonly tools: readonly PlannedToolRun[] };

/** How new tests are run. The tests gate shares its runs: none runs twice on the same tree. */
interface RedFirstSuite {
  readonly evaluatePatch: () => Promise<GateResult>;
  /** Runs on the code of the base, and the tests that each is about. */
  readonly runs: readonly {
    readonly tests: readonly NewTestFile[];
    readonly run: (tree: string) => Promise<CompletedCommandRun>;
  }[];
  /** Null: files are named one by one, so the rest of the base's suite does not run. */
  readonly getBaseline: BaselineResultProvider | null;
}

/** @returns why the tests cannot be run, where that is so. */
async function openSuites(
  context: GateContext,
  plan: RedFirstPlan,
  tests: readonly NewTestFile[],
): Promise<RedFirstSuite[] | string> {
  const { subject, timeoutMs } = context;
  if ('command' in plan) {
    const { command } = plan;
    const takesFiles = command.includes(PLACEHOLDER);
    const all = lineFor(command, tests);
    return [
      {
        evaluatePatch: () => runAndEvaluateTests(context, all, subject.tree, timeoutMs),
        runs: (takesFiles ? tests.slice(0, MAX_FILES).map((each) => [each]) : [tests]).map((group) => ({
          tests: group,
          run: (tree) => runTests(subject, lineFor(command, group), tree, timeoutMs),
        })),
        getBaseline: takesFiles ? null : createTestBaselineLookup(context, command),
      },
    ];
  }
  const suites: RedFirstSuite[] = [];
  for (const chosen of plan.tools) {
    const { tool, folder, language } = chosen;
    const group = tests.filter(
      ({ path }) => languageOfPath(path) === language && (folder === '' || path.startsWith(`${folder}/`)),
    );
    if (group.length === 0) continue;
    const suite = await openToolTestSuite(context, chosen);
    if (suite === null) return missingToolMessage(tool);
    suites.push({
      evaluatePatch: async () => (await suite.evaluate(subject.tree)).result,
      runs: [{ tests: group, run: (tree) => suite.run(tree, { limitMs: timeoutMs }) }],
      getBaseline: suite.getBaseline,
    });
  }
  return suites.length > 0 ? suites : 'no test tool of the project runs the new tests; set red_first_command';
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
const lineFor = (command: string, files: readonly NewTestFile[]): string =>
  command.replaceAll(PLACEHOLDER, () => files.map(({ path }) => quoted(path)).join(' '));

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
