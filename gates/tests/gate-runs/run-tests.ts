import type { GateContext, GateResult } from '../../core/gate.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { recordTestRun } from '../../core/test-run-costs.ts';
import {
  type BaselineResultProvider,
  createBaselineResultProvider,
  readCommandCacheInputs,
} from '../comparing/baseline-lookup.ts';
import type { FailedTestRerunners } from '../comparing/confirm-failures.ts';
import { createFlakyCheck } from '../comparing/create-flaky-check.ts';
import { evaluateTestRun } from '../comparing/evaluate-run.ts';
import { isFailFast } from '../comparing/fail-fast.ts';
import { createPatchTestLookup, listChangedTestFiles } from '../comparing/patch-tests.ts';
import { addTestReporter } from '../running/add-test-reporter.ts';
import type { CompletedCommandRun, EnvironmentOverrides } from '../running/command-run.ts';
import { runCommandLine } from '../running/run-command-line.ts';

const runs = new WeakMap<PatchToCheck, Map<string, Promise<CompletedCommandRun>>>();
const results = new WeakMap<PatchToCheck, Map<string, Promise<GateResult>>>();

/** How a run differs from the usual one. */
export interface TestRunOptions {
  readonly environment?: EnvironmentOverrides;
  /** The run ends at the first test that fails, where its runner can be told so. */
  readonly stopsAtFirstFailure?: boolean;
}

/**
 * Runs a command that runs tests on a tree, in a checkout of its own. Several gates ask for the same run; the first one's result,
 * and its time limit, count for all.
 * A line with `{files}` in it is run on the tests that the patch can break; see tests/select.ts.
 */
export const runTests = (
  subject: PatchToCheck,
  command: string,
  tree: string,
  timeoutMs: number,
  options: TestRunOptions = {},
): Promise<CompletedCommandRun> =>
  once(runs, subject, `${tree}\0${command}\0${JSON.stringify(options)}`, () =>
    runTestsUncached(subject, command, tree, timeoutMs, options),
  );

const runTestsUncached = async (
  subject: PatchToCheck,
  command: string,
  tree: string,
  timeoutMs: number,
  { environment = {}, stopsAtFirstFailure = false }: TestRunOptions = {},
): Promise<CompletedCommandRun> => {
  const line = await addTestReporter(subject, await expandCommand(subject, command, tree, timeoutMs), {
    stopsAtFirstFailure,
  });
  const run = await runCommandLine(
    await subject.sandboxes.createSandbox(tree),
    { ...line, environment: { ...environment, ...line.environment } },
    timeoutMs,
  );
  recordTestRun(run.processResult);
  return run;
};

/**
 * What the tests say about a tree of the patch, compared with the base test by test where they fail. Shared between gates like the
 * runs themselves.
 * @param timeoutMs time limit of each run.
 */
export const runAndEvaluateTests = (
  context: GateContext,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<GateResult> =>
  once(results, context.subject, `${tree}\0${command}`, async () => {
    const { subject, flakySettings = null, confirmsFailures = true } = context;
    const run = await runTests(subject, command, tree, timeoutMs);
    return evaluateTestRun(run, {
      getBaseline: createTestBaselineLookup(context, command),
      readPatchTests: async () => createPatchTestLookup(await listChangedTestFiles(subject)),
      isFailFast: await isFailFast(subject, command),
      ...(confirmsFailures
        ? {
            reruns: createFailedTestRerunners(
              run,
              timeoutMs,
              (of) => runTestsUncached(subject, command, of, timeoutMs),
              {
                tree,
                base: subject.base,
              },
            ),
          }
        : {}),
      ...(flakySettings
        ? {
            checkFlaky: createFlakyCheck(context, flakySettings, command, () =>
              runTestsUncached(subject, command, tree, timeoutMs),
            ),
          }
        : {}),
    });
  });

/** Looks up what a test command says about the base. A selection of tests is one command of its own. */
export const createTestBaselineLookup = (
  context: GateContext,
  command: string,
): BaselineResultProvider | null => {
  const { subject, timeoutMs } = context;
  return createBaselineResultProvider(context, {
    readCacheFacts: async () =>
      readCommandCacheInputs(subject, await expandCommand(subject, command, subject.base, timeoutMs)),
    run: () => runTests(subject, command, subject.base, timeoutMs),
  });
};

/** Reruns for failures, unless a second run of that length could end at the time limit. */
export function createFailedTestRerunners(
  { processResult: { durationMs } }: CompletedCommandRun,
  timeoutMs: number,
  run: (tree: string) => Promise<CompletedCommandRun>,
  { tree, base }: Pick<PatchToCheck, 'tree' | 'base'>,
): FailedTestRerunners {
  const rerun = async (of: string): Promise<CompletedCommandRun | null> =>
    timeoutMs < 1.2 * durationMs ? null : run(of);
  return { rerunPatch: () => rerun(tree), rerunBase: () => rerun(base) };
}

function once<Value>(
  all: WeakMap<PatchToCheck, Map<string, Promise<Value>>>,
  subject: PatchToCheck,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = all.get(subject) ?? new Map<string, Promise<Value>>();
  all.set(subject, known);
  const there = known.get(key);
  if (there !== undefined) return there;
  const making = make();
  known.set(key, making);
  return making;
}

/** A command with `{files}` in it is run on the tests that the patch can break. */
async function expandCommand(
  subject: PatchToCheck,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<string> {
  if (!command.includes('{files}')) return command;
  const { buildSelectedTestsCommand } = await import('../../rules/tests/selected-tests-command.ts');
  return buildSelectedTestsCommand(subject, command, tree, timeoutMs);
}
