import { join } from 'node:path';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import type { SandboxFactory } from '../../core/sandbox-factory.ts';
import { recordTestRun } from '../../core/test-run-costs.ts';
import type { LanguageTool } from '../../languages/language-tool.ts';
import { languageOfPath } from '../../languages/languages.ts';
import { REPORT_READERS } from '../../reports/report-readers.ts';
import { type BaselineResultProvider, createBaselineResultProvider } from '../comparing/baseline-lookup.ts';
import { createFlakyCheck } from '../comparing/create-flaky-check.ts';
import { evaluateTestRun } from '../comparing/evaluate-run.ts';
import { isFailFast } from '../comparing/fail-fast.ts';
import { createPatchTestLookup, listChangedTestFiles } from '../comparing/patch-tests.ts';
import { runExperimentsAgainstBase } from '../experiments/compare-with-base.ts';
import type { ExperimentRunOptions, TreeTestRunner } from '../experiments/engine/experiment.ts';
import { type AddedLines, getRenamedPaths, readAddedLines } from '../running/added-lines.ts';
import type { LanguageToolSelection, PlannedToolRun } from '../running/choose-tools.ts';
import type { CompletedCommandRun, EnvironmentOverrides } from '../running/command-run.ts';
import { readReportFile } from '../running/report-file.ts';
import { createReportPathResolver } from '../running/report-paths.ts';
import { runCommandLine } from '../running/run-command-line.ts';
import {
  type CommandCheckOutcomeWithFindings,
  rerunCommandWithBaseScripts,
} from '../running/run-with-base-scripts.ts';
import { stopAtFirstFailure } from '../running/stop-at-first-failure.ts';
import { restrictToolToFiles, selectToolInputFiles } from '../running/tool-files.ts';
import { buildEnterFolderLine } from '../running/tool-folders.ts';
import { findToolVersion, missingToolMessage } from '../running/tool-version.ts';
import { combineToolResults, type ToolGateResult } from '../running/worst-result.ts';
import { createFailedTestRerunners } from './run-tests.ts';

export interface LanguageToolGateOptions {
  /** Whether tools are given the changed files only, where they take files. */
  readonly checksChangedFilesOnly?: boolean;
  /** Tests that the patch takes away are run with it. */
  readonly runsTests: boolean;
}

/** Runs the tool of each language; the gravest result is the gate's. */
export async function runLanguageTools(
  context: GateContext,
  { tools: chosen, uncheckedFolders, untestedDependents: untested = [] }: LanguageToolSelection,
  gate: LanguageToolGateOptions,
): Promise<GateResult> {
  const { subject } = context;
  const added = await readAddedLines(subject.store, subject.base, subject.tree);
  const parts: ToolGateResult[] = [];
  for (const each of chosen)
    parts.push({
      tool: each.tool.name,
      folder: each.folder,
      result: await runChosenTool(context, each, gate, added),
    });
  return withUntestedDependents(combineToolResults(leaveOutEmptySuites(parts), uncheckedFolders), untested);
}

/** A folder that has no tests, and had none on the base, says nothing where other folders have some. */
function leaveOutEmptySuites(parts: readonly ToolGateResult[]): ToolGateResult[] {
  const isEmpty = ({ result: { facts } }: ToolGateResult): boolean =>
    facts?.['tests'] === 0 && facts['baseline_tests'] === 0;
  return parts.every(isEmpty)
    ? [...parts]
    : parts.map((part) =>
        isEmpty(part)
          ? {
              ...part,
              result: { ...part.result, outcome: 'skipped', detail: 'no tests, on the base neither' },
            }
          : part,
      );
}

/** Packages that depend on what the patch changes, and whose tests did not run, are named in the verdict. */
const withUntestedDependents = (result: GateResult, folders: readonly string[]): GateResult =>
  folders.length === 0
    ? result
    : {
        ...result,
        facts: {
          ...result.facts,
          untested_dependents: folders.length,
          untested_dependents_named: folders.slice(0, MAX_NAMED_FOLDERS).map(toDisplayPath).join(', '),
        },
      };

/** Most folders that are named. */
const MAX_NAMED_FOLDERS = 20;

async function runChosenTool(
  context: GateContext,
  chosen: PlannedToolRun,
  { checksChangedFilesOnly = false, runsTests }: LanguageToolGateOptions,
  added: AddedLines,
): Promise<GateResult> {
  const { subject } = context;
  const { language, folder } = chosen;
  const files = checksChangedFilesOnly ? selectToolInputFiles(chosen, subject.changes) : null;
  const tool = restrictToolToFiles(chosen.tool, files?.patchPaths ?? null);
  const onBase = restrictToolToFiles(chosen.tool, files?.basePaths ?? null);
  const version = await findToolVersion(subject.sandboxes, subject.base, tool, folder);
  const facts = {
    tool: tool.name,
    tool_version: version,
    command: files === null ? tool.line : (tool.fileMode?.line ?? tool.line),
    ...(files === null ? {} : { files_given: files.patchPaths.length }),
    language,
    ...(folder === '' ? {} : { folder: toDisplayPath(folder) }),
  };
  if (version === null)
    return {
      outcome: 'could_not_run',
      kind: 'checked',
      findings: [],
      detail: missingToolMessage(tool),
      facts,
    };
  const suite = await openToolRuns(context, chosen, { tool, onBase, version, added, runsTests });
  const runs: EvaluatedToolRun[] = [];
  const once = async (tree: string): Promise<GateResult> => {
    const evaluated = await suite.evaluate(tree);
    runs.push(evaluated);
    return evaluated.result;
  };
  const all: CommandCheckOutcomeWithFindings = await rerunCommandWithBaseScripts(
    subject,
    chosen.tool.line,
    once,
    folder,
  );
  const [first] = runs;
  const ran: GateResult = {
    ...all,
    kind: 'executed',
    findings: [...(first?.result.findings ?? []), ...all.findings],
    facts: {
      ...facts,
      ...first?.result.facts,
      runs: runs.length,
      exit_code: first?.execution.processResult.exitCode ?? null,
      output_bytes_cut: first?.execution.processResult.truncatedBytes ?? 0,
    },
    ...(first?.result.tests ? { tests: first.result.tests } : {}),
  };
  return runsTests && first && touchesLanguage(context, language)
    ? runExperimentsAgainstBase(context, {
        result: ran,
        run: first.execution,
        getBaseline: suite.getBaseline,
        language,
        timeLimitMs: context.timeoutMs,
        timeLeftMs: () => context.timeoutMs,
        runTests: (tree, how) => suite.run(tree, { limitMs: context.timeoutMs, ...how }),
      })
    : ran;
}

interface EvaluatedToolRun {
  readonly execution: CompletedCommandRun;
  readonly result: GateResult;
}

/** Runs of one tool in one folder. */
interface ToolRuns {
  readonly run: TreeTestRunner;
  /** Runs it on a tree of the patch, and compares with the base where that is needed. */
  readonly evaluate: (tree: string) => Promise<EvaluatedToolRun>;
  /** Null: a patch that changes nothing. */
  readonly getBaseline: BaselineResultProvider | null;
}

interface ToolRunsOptions {
  readonly tool: LanguageTool;
  /** The tool as it runs on the base. */
  readonly onBase: LanguageTool;
  readonly version: string;
  readonly added: AddedLines;
  readonly runsTests: boolean;
}

const testSuites = new WeakMap<PatchToCheck, Map<string, ToolRuns>>();

/** Opens the runs of a tool. Runs of tests are shared between gates; what they have to say of a patch is found in the first one's time. */
async function openToolRuns(
  context: GateContext,
  chosen: PlannedToolRun,
  options: ToolRunsOptions,
): Promise<ToolRuns> {
  if (!options.runsTests) return createToolRuns(context, chosen, options, false);
  const { subject } = context;
  const key = `${chosen.folder}\0${options.tool.line}`;
  const known = testSuites.get(subject) ?? new Map<string, ToolRuns>();
  testSuites.set(subject, known);
  const failsEarly = await isFailFast(subject, options.tool.line);
  const suite = known.get(key) ?? createToolRuns(context, chosen, options, failsEarly);
  known.set(key, suite);
  return suite;
}

/** Opens the runs of a test tool for another gate than the one that runs the tests. @returns null if the tool is not installed. */
export async function openToolTestSuite(
  context: GateContext,
  chosen: PlannedToolRun,
): Promise<ToolRuns | null> {
  const { subject } = context;
  const { tool, folder } = chosen;
  const version = await findToolVersion(subject.sandboxes, subject.base, tool, folder);
  if (version === null) return null;
  return openToolRuns(context, chosen, {
    tool,
    onBase: tool,
    version,
    added: await readAddedLines(subject.store, subject.base, subject.tree),
    runsTests: true,
  });
}

function createToolRuns(
  context: GateContext,
  { folder }: PlannedToolRun,
  { tool, onBase, version, added, runsTests }: ToolRunsOptions,
  failsEarly: boolean,
): ToolRuns {
  const { subject, timeoutMs } = context;
  // Each run has the whole limit: how many there are depends on the patch and on what they find.
  const options = { sandboxes: subject.sandboxes, tool, folder, timeoutMs };
  const base = createBaselineResultProvider(context, {
    readCacheFacts: async () => ({
      tool: { ...onBase, stopRules: null, signs: [], fileMode: null },
      version,
      folder,
    }),
    requiresReport: tool.format !== null,
    run: () => runTool(subject.base, { ...options, tool: onBase }),
  });
  const ran = new Map<string, Promise<CompletedCommandRun>>();
  const runOnce = (tree: string, { limitMs, ...how }: ExperimentRunOptions): Promise<CompletedCommandRun> => {
    const key = `${tree}\0${JSON.stringify(how)}`;
    const { environment = {}, stopsAtFirstFailure = false } = how;
    const start = async (): Promise<CompletedCommandRun> => {
      const run = await runTool(tree, {
        ...options,
        tool: stopsAtFirstFailure ? { ...tool, ...stopAtFirstFailure({ line: tool.line }, tool.name) } : tool,
        environmentOverrides: environment,
        timeoutMs: limitMs ?? timeoutMs,
      });
      // Another caller may have more time.
      if (run.outcome === 'timed_out') ran.delete(key);
      return run;
    };
    const there = ran.get(key) ?? start();
    if (runsTests) ran.set(key, there);
    return there;
  };
  const evaluateOnce = async (tree: string): Promise<EvaluatedToolRun> => {
    const execution = await runOnce(tree, {});
    const result = await evaluateTestRun(execution, {
      label: tool.name,
      addedLines: added,
      renamedPaths: getRenamedPaths(subject.changes),
      ignoresExitCode: tool.ignoresExitCode ?? false,
      getBaseline: base,
      isFailFast: failsEarly,
      ...(tool.stopRules ? { stopRules: tool.stopRules } : {}),
      ...(runsTests && context.confirmsFailures !== false
        ? {
            reruns: createFailedTestRerunners(
              execution,
              timeoutMs,
              (of) => runTool(of, of === subject.base ? { ...options, tool: onBase } : options),
              { tree, base: subject.base },
            ),
          }
        : {}),
      ...(context.flakySettings && runsTests
        ? {
            checkFlaky: createFlakyCheck(context, context.flakySettings, { tool: tool.name, folder }, () =>
              runTool(tree, options),
            ),
          }
        : {}),
      ...(runsTests
        ? { readPatchTests: async () => createPatchTestLookup(await listChangedTestFiles(subject)) }
        : {}),
    });
    return { execution, result };
  };
  const evaluated = new Map<string, Promise<EvaluatedToolRun>>();
  return {
    getBaseline: base,
    run: (tree, how = {}) => runOnce(tree, how),
    evaluate: (tree) => {
      const there = evaluated.get(tree) ?? evaluateOnce(tree);
      evaluated.set(tree, there);
      return there;
    },
  };
}

/** A patch in another language changes nothing that this tool would run. */
const touchesLanguage = ({ subject }: GateContext, language: PlannedToolRun['language']): boolean =>
  subject.changes.some(({ path }) => [language, null].includes(languageOfPath(path)));

interface RunToolOptions {
  readonly sandboxes: SandboxFactory;
  readonly tool: LanguageTool;
  /** Folder of the checkout that the tool runs in; '' is the top. */
  readonly folder: string;
  /** Time limit of the run. */
  readonly timeoutMs: number;
  /** Variables of the environment that are not as usual. */
  readonly environmentOverrides?: EnvironmentOverrides;
}

async function runTool(tree: string, options: RunToolOptions): Promise<CompletedCommandRun> {
  const run = await runToolUncounted(tree, options);
  if (options.tool.kind === 'tests') recordTestRun(run.processResult);
  return run;
}

/** Runs a tool on a tree, in a checkout of its own, and reads its report. */
async function runToolUncounted(
  tree: string,
  { sandboxes, tool, folder, timeoutMs, environmentOverrides = {} }: RunToolOptions,
): Promise<CompletedCommandRun> {
  const sandbox = await sandboxes.createSandbox(tree);
  if (tool.format === null)
    return runCommandLine(
      sandbox,
      {
        line: `${buildEnterFolderLine(folder)}${tool.line}`,
        folder,
        reportRequirement: 'may',
        environment: environmentOverrides,
      },
      timeoutMs,
    );
  const path = join(sandbox.tmpFolder, 'assay-report');
  // The report lies outside of the checkout, where no file or link of a patch can be in its way.
  const ran = await sandbox.run({ line: `${buildEnterFolderLine(folder)}${tool.line}` }, timeoutMs, {
    ...environmentOverrides,
    REPORT: path,
  });
  const plain = classifyProcessResult(ran);
  const broke =
    ran.exitCode === null ||
    (ran.exitCode !== 0 && !tool.ignoresExitCode && !tool.findingExitCodes.includes(ran.exitCode));
  if (broke) return { processResult: ran, ...NO_REPORT, ...adjustUnreportedAudit(tool, plain) };
  try {
    const format = await REPORT_READERS[tool.format]();
    const report = format(await readReportFile(path), {
      root: sandbox.checkoutRoot,
      folder,
      resolvePath: createReportPathResolver(sandbox.checkoutRoot),
    });
    const { cases } = report;
    if (report.findings.length === 0 && plain.outcome !== 'passed')
      return { processResult: ran, report: null, cases, ...adjustUnreportedAudit(tool, plain) };
    return { processResult: ran, report, cases, ...plain };
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    // It ended well and left nothing that can be read: nobody knows what it looked at.
    return plain.outcome === 'passed'
      ? {
          processResult: ran,
          ...NO_REPORT,
          outcome: 'could_not_run',
          detail: `${tool.name} left no report that can be read: ${why}`,
        }
      : { processResult: ran, ...NO_REPORT, ...adjustUnreportedAudit(tool, plain) };
  }
}

const NO_REPORT = { report: null, cases: null } as const;

type RunOutcome = Pick<CompletedCommandRun, 'outcome' | 'detail'>;

/** An audit without a report mostly could not reach its database, and that is not the patch's doing. */
const adjustUnreportedAudit = (tool: LanguageTool, plain: RunOutcome): RunOutcome =>
  tool.kind === 'dep_audit' && plain.outcome === 'failed' ? { ...plain, outcome: 'infra_failed' } : plain;
