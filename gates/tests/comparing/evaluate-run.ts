import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { GateResult } from '../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../core/gate-finding.ts';
import type { TestResult } from '../../core/test-result.ts';
import type { AbortingFindingRules } from '../../languages/language-tool.ts';
import { countTestsRun } from '../../reports/tool-report.ts';
import type { AddedLines } from '../running/added-lines.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import { classifyToolFindings } from '../running/judge-tool-findings.ts';
import type { BaselineResultProvider } from './baseline-lookup.ts';
import type { BaselineResult } from './baseline-result.ts';
import type { FlakyCheckInput, FlakyCheckResult } from './check-flaky-tests.ts';
import { findNewTestFailures, findRemovedPassingTests, type TestRunFinding } from './compare-tests.ts';
import { confirmTestFailures, type FailedTestRerunners } from './confirm-failures.ts';
import type { PatchTestLookup } from './patch-tests.ts';

export interface TestRunEvaluationOptions {
  /** What is run, as people call it. */
  readonly label?: string;
  readonly stopRules?: AbortingFindingRules;
  /** Lines that the patch wrote. */
  readonly addedLines?: AddedLines;
  /** Paths of renamed files: in the base, and in the patched tree. */
  readonly renamedPaths?: ReadonlyMap<string, string>;
  /** The exit code says nothing: the report alone decides. */
  readonly ignoresExitCode?: boolean;
  /** Null: the base does not count, as for a command that looks at the base itself. */
  readonly getBaseline: BaselineResultProvider | null;
  /** Tests that the patch wrote; absent: it is no run of tests. */
  readonly readPatchTests?: () => Promise<PatchTestLookup>;
  /** Whether the runner stops at its first failure. */
  readonly isFailFast?: boolean;
  /** Runs the tests again before new failures decide; absent: what fails once has failed. */
  readonly reruns?: FailedTestRerunners;
  /** Looks for tests that fail now and then; absent: nobody asked for that. */
  readonly checkFlaky?: (question: FlakyCheckInput) => Promise<FlakyCheckResult>;
}

const NO_TESTS = '; flaky_detection: nobody names the tests, so there is nothing to work on';
const kind = 'executed';
const NOTHING: AddedLines = { isAdded: () => false };

/** What a run on a tree is worth, compared with the same on the base where that is needed. */
export async function evaluateTestRun(
  run: CompletedCommandRun,
  terms: TestRunEvaluationOptions,
): Promise<GateResult> {
  const { report, outcome, detail, cases } = run;
  const tests = cases ? { tests: cases } : {};
  const said = terms.checkFlaky && cases === null ? `${detail}${NO_TESTS}` : detail;
  const plain = { outcome, kind, findings: [], detail: said, ...tests } as const;
  if (outcome !== 'passed' && outcome !== 'failed') return plain;
  const ran = cases === null ? null : countTestsRun(cases);
  if (cases !== null && ran === 0 && outcome === 'passed' && report?.findings.length === 0)
    return judgeEmptyRun(plain, cases, terms);
  if (report === null)
    return outcome === 'passed' || terms.getBaseline === null
      ? plain
      : judgeUnreportedFailure(plain, await terms.getBaseline(), terms);
  const clean = ran === null ? `exit ${run.processResult.exitCode}` : `${ran} tests ran`;
  const facts: GateEvidence['facts'] = ran === null ? {} : { tests: ran };
  // The base is asked only when something needs it.
  const base = report.findings.length > 0 && terms.getBaseline ? await terms.getBaseline() : null;
  const compared = base === null ? {} : baselineFacts(base);
  if (base === null && cases !== null && report.findings.length === 0)
    return applyFlakyCheck(run, { findings: [], baseline: base, cases, clean, facts }, terms);
  if (base === null || cases === null || !terms.readPatchTests) {
    const { addedLines, renamedPaths } = terms;
    const seen: GateFinding[] = classifyToolFindings(report.findings, {
      baseline: base?.findings ?? null,
      ...(addedLines && { addedLines }),
      ...(renamedPaths && { renamedPaths }),
    }).map((each) => escalateStopFinding(each, terms));
    const broke = base === null ? [] : findNewExitCode(run, base, seen, terms);
    return {
      ...buildGateResult([...seen, ...broke], clean, { ...facts, ...compared }),
      kind,
      ...tests,
    };
  }
  if (base.outcome === 'failed' && base.findings === null) return judgeUnreportedFailure(plain, base, terms);
  const seen = findNewTestFailures({
    run,
    baseline: base,
    patchTests: await terms.readPatchTests(),
    isFailFast: terms.isFailFast ?? false,
  });
  const broke = findNewExitCode(run, base, seen, terms).map((each) => ({ ...each, testCase: null }));
  const confirmed =
    terms.reruns && !terms.checkFlaky
      ? await confirmTestFailures(seen, await terms.readPatchTests(), terms.reruns)
      : seen;
  return applyFlakyCheck(
    run,
    { findings: [...confirmed, ...broke], baseline: base, cases, clean, facts: { ...facts, ...compared } },
    terms,
  );
}

/** A run that ends with an error where the base ends well is no pass, even if the report holds old findings only. */
function findNewExitCode(
  { outcome, processResult: { exitCode } }: CompletedCommandRun,
  base: BaselineResult,
  seen: readonly GateFinding[],
  { label = 'the command', ignoresExitCode = false }: TestRunEvaluationOptions,
): GateFinding[] {
  const isExplained = seen.some(({ severity }) => severity === 'error' || severity === 'warning');
  if (ignoresExitCode || isExplained || outcome !== 'failed' || base.outcome !== 'passed') return [];
  const message = `${label} ends with exit ${exitCode}, and on the base with exit ${base.exit_code}: its report does not say why`;
  return [{ file: null, line: null, rule: 'new_exit_code', message, severity: 'error', baseline: 'new' }];
}

interface ComparedTests extends Pick<FlakyCheckInput, 'findings' | 'baseline' | 'cases'> {
  readonly clean: string;
  readonly facts: GateEvidence['facts'];
}

async function applyFlakyCheck(
  run: CompletedCommandRun,
  { findings, baseline, cases, clean, facts }: ComparedTests,
  { checkFlaky, isFailFast = false }: TestRunEvaluationOptions,
): Promise<GateResult> {
  const looked = checkFlaky
    ? await checkFlaky({ run, cases, findings, baseline, isFailFast })
    : { findings, note: null };
  const result = buildGateResult(looked.findings.map(withoutTest), clean, facts);
  const detail = looked.note === null ? result.detail : `${result.detail}; flaky_detection: ${looked.note}`;
  return { ...result, detail, kind, tests: cases };
}

/** A run of no test is no pass, unless the patch took away all that the base has, which others look at. */
async function judgeEmptyRun(
  plain: GateResult,
  cases: readonly TestResult[],
  { getBaseline, readPatchTests }: TestRunEvaluationOptions,
): Promise<GateResult> {
  const couldNotRun = { ...plain, outcome: 'could_not_run', detail: 'no test ran' } as const;
  const before = await getBaseline?.();
  if (!before?.cases) return couldNotRun;
  // A run on the base that failed may have had tests.
  if (countTestsRun(before.cases) === 0)
    return before.outcome === 'passed'
      ? { ...couldNotRun, facts: { tests: 0, baseline_tests: 0 } }
      : couldNotRun;
  if (!readPatchTests) return couldNotRun;
  const lost = findRemovedPassingTests(cases, before, await readPatchTests());
  if (lost.length > 0)
    return { ...plain, ...buildGateResult(lost.map(withoutTest), '', baselineFacts(before)), kind };
  return { ...plain, detail: 'no test ran: the patch takes them all away', facts: baselineFacts(before) };
}

/**
 * What keeps a tool from looking further is no complaint to be left alone, wherever it stands: nobody knows what it would have found.
 * Code that the patch breaks is the patch's; what was broken before, and keeps the tool from the patch's lines, is for a person.
 */
function escalateStopFinding(
  each: GateFinding,
  { stopRules, addedLines = NOTHING }: TestRunEvaluationOptions,
): GateFinding {
  if (each.severity === 'error' || !stopRules?.rules.test(each.rule)) return each;
  const touched = each.file === null || addedLines.isAdded(each.file, null);
  if (touched && each.severity === 'info') return { ...each, severity: 'error' };
  return touched || stopRules.at === 'all' ? { ...each, severity: 'warning' } : each;
}

const withoutTest = ({ testCase, ...seen }: TestRunFinding): GateFinding => seen;

/** A run that failed without a word on what. When the base fails too, nobody can tell whose failure it is. */
function judgeUnreportedFailure(
  plain: GateResult,
  base: BaselineResult,
  { label = 'the command' }: TestRunEvaluationOptions,
): GateResult {
  const facts = baselineFacts(base);
  if (base.outcome === 'passed') return { ...plain, facts };
  if (base.outcome !== 'failed')
    return {
      ...plain,
      detail: `${plain.detail}\nthe base could not be asked: ${base.outcome}: ${base.detail}`,
      facts,
    };
  if (base.cases !== null && plain.tests === undefined)
    return {
      ...plain,
      outcome: 'failed',
      detail: `the run broke: on the base it fails too, but reports ${base.cases.length} tests; now it reports none: ${plain.detail}`,
      facts,
    };
  const before = base.detail === plain.detail ? '' : `\nOn the base: ${base.detail}`;
  return {
    ...plain,
    outcome: 'could_not_run',
    // Nothing tells old failures from new ones.
    detail: `${label} breaks on the base too: ${plain.detail}${before}`.slice(0, 4_000),
    facts,
  };
}

/** What shows that the base was asked, and not believed. */
const baselineFacts = ({
  outcome,
  isCached,
  cases,
  findings: complaints,
}: BaselineResult): GateEvidence['facts'] => ({
  baseline: isCached ? 'kept' : 'run',
  baseline_outcome: outcome,
  ...(cases === null ? {} : { baseline_tests: countTestsRun(cases) }),
  ...(complaints === null ? {} : { baseline_findings: complaints.length }),
});
