import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { createBaselineResultProvider, readCommandCacheInputs } from '../comparing/baseline-lookup.ts';
import { evaluateTestRun } from '../comparing/evaluate-run.ts';
import { runExperimentsAgainstBase } from '../experiments/compare-with-base.ts';
import type { ExperimentRunOptions } from '../experiments/engine/experiment.ts';
import { getRenamedPaths, readAddedLines } from '../running/added-lines.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import { runCommandLine } from '../running/run-command-line.ts';
import { rerunCommandWithBaseScripts } from '../running/run-with-base-scripts.ts';
import { createTestBaselineLookup, runAndEvaluateTests, runTests } from './run-tests.ts';

export interface CommandGateOptions {
  /** It runs the project's tests. */
  readonly runsTests?: boolean;
  /** Whether findings that the base has too are none of the patch. Default: the base is not asked, and every failure counts. */
  readonly comparesWithBase?: boolean;
}

/**
 * Runs a command line on the patch. Its exit code decides, and where it leaves a report, what that says; where the base counts, only
 * what the base has not.
 */
export async function runCommandOnPatch(
  context: GateContext,
  command: string,
  { runsTests = false, comparesWithBase = false }: CommandGateOptions = {},
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const results: GateResult[] = [];
  const runs: CompletedCommandRun[] = [];
  // Each run has the whole limit: how many there are depends on the patch and on what they find.
  const run = async (
    tree: string,
    { limitMs = timeoutMs, ...options }: ExperimentRunOptions = {},
  ): Promise<CompletedCommandRun> =>
    runsTests
      ? runTests(subject, command, tree, limitMs, options)
      : runCommandLine(
          await subject.sandboxes.createSandbox(tree),
          { line: command, exitCodeOnly: !comparesWithBase },
          limitMs,
        );
  const base = runsTests
    ? createTestBaselineLookup(context, command)
    : createBaselineResultProvider(context, {
        readCacheFacts: () => readCommandCacheInputs(subject, command),
        run: () => run(subject.base),
      });
  const result = await rerunCommandWithBaseScripts(subject, command, async (tree) => {
    const ran = await run(tree);
    const result = runsTests
      ? await runAndEvaluateTests(context, command, tree, timeoutMs)
      : await evaluateTestRun(ran, {
          ...(comparesWithBase
            ? {
                addedLines: await readAddedLines(subject.store, subject.base, subject.tree),
                renamedPaths: getRenamedPaths(subject.changes),
              }
            : {}),
          getBaseline: comparesWithBase ? base : null,
        });
    runs.push(ran);
    results.push(result);
    return result;
  });
  const last = runs.at(-1)?.processResult;
  const [first] = results;
  const [execution] = runs;
  const facts: GateEvidence['facts'] = {
    command,
    runs: runs.length,
    exit_code: last?.exitCode ?? null,
    output_bytes_cut: last?.truncatedBytes ?? 0,
    ...first?.facts,
    ...(runsTests ? await describeTestSelection(subject, command) : {}),
  };
  const ran: GateResult = {
    ...result,
    kind: 'executed',
    findings: [...(first?.findings ?? []), ...result.findings],
    facts,
    ...(first?.tests ? { tests: first.tests } : {}),
  };
  return runsTests && execution
    ? runExperimentsAgainstBase(context, {
        result: ran,
        run: execution,
        getBaseline: base,
        runTests: run,
        timeLimitMs: timeoutMs,
        timeLeftMs: () => timeoutMs,
      })
    : ran;
}

/** Which tests were run, and why, where the command leaves that open. */
async function describeTestSelection(
  subject: PatchToCheck,
  command: string,
): Promise<{ readonly tests_selected?: string }> {
  if (!command.includes('{files}')) return {};
  const { getAffectedTestSelection } = await import('../../rules/tests/selected-tests-command.ts');
  const { kind, reason } = await getAffectedTestSelection(subject, 0);
  return { tests_selected: kind === 'all' ? `all: ${reason}` : reason };
}
