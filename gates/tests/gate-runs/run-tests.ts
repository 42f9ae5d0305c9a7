import type { GateContext, GateResult } from '../../core/gate.ts';
import type { PatchSubject } from '../../core/patch-subject.ts';
import {
  createBaselineLookup,
  type GetBaselineResult,
  readCommandFacts,
} from '../comparing/baseline-lookup.ts';
import type { FailureReruns } from '../comparing/confirm-failures.ts';
import { createFlakyCheck } from '../comparing/create-flaky-check.ts';
import { evaluateRun } from '../comparing/evaluate-run.ts';
import { isFailFast } from '../comparing/fail-fast.ts';
import { createPatchTests, listChangedTestFiles } from '../comparing/patch-tests.ts';
import { addTestReporter } from '../running/add-test-reporter.ts';
import type { CommandRun, EnvironmentOverrides } from '../running/command-run.ts';
import { runCommandLine } from '../running/run-command-line.ts';

const runs = new WeakMap<PatchSubject, Map<string, Promise<CommandRun>>>();
const results = new WeakMap<PatchSubject, Map<string, Promise<GateResult>>>();

/**
 * Runs a command that runs tests on a tree, in a checkout of its own. Several gates ask for the same run; the first one's result,
 * and its time limit, count for all.
 * A line with `{files}` in it is run on the tests that the patch can break; see tests/select.ts.
 */
export const runTests = (
  subject: PatchSubject,
  command: string,
  tree: string,
  timeoutMs: number,
  surroundings: EnvironmentOverrides = {},
): Promise<CommandRun> =>
  once(runs, subject, `${tree}\0${command}\0${JSON.stringify(surroundings)}`, () =>
    runTestsUncached(subject, command, tree, timeoutMs, surroundings),
  );

const runTestsUncached = async (
  subject: PatchSubject,
  command: string,
  tree: string,
  timeoutMs: number,
  surroundings: EnvironmentOverrides = {},
): Promise<CommandRun> => {
  const line = await addTestReporter(subject, await expandCommand(subject, command, tree, timeoutMs));
  return runCommandLine(
    await subject.sandboxes.createSandbox(tree),
    { ...line, environment: { ...surroundings, ...line.environment } },
    timeoutMs,
  );
};

/**
 * What the tests say about a tree of the patch, compared with the base test by test where they fail. Shared between gates like the
 * runs themselves.
 * @param left time that is left, in milliseconds.
 */
export const runAndEvaluateTests = (
  context: GateContext,
  command: string,
  tree: string,
  left: () => number,
): Promise<GateResult> =>
  once(results, context.subject, `${tree}\0${command}`, async () => {
    const { subject, flakySettings = null, confirmsFailures = true } = context;
    const run = await runTests(subject, command, tree, left());
    return evaluateRun(run, {
      getBaseline: createTestBaselineLookup(context, command),
      readPatchTests: async () => createPatchTests(await listChangedTestFiles(subject)),
      isFailFast: await isFailFast(subject, command),
      ...(confirmsFailures
        ? {
            reruns: createReruns(run, left, (of) => runTestsUncached(subject, command, of, left()), {
              tree,
              base: subject.base,
            }),
          }
        : {}),
      ...(flakySettings
        ? {
            checkFlaky: createFlakyCheck(context, flakySettings, command, () =>
              runTestsUncached(subject, command, tree, left()),
            ),
          }
        : {}),
    });
  });

/** Looks up what a test command says about the base. A selection of tests is one command of its own. */
export const createTestBaselineLookup = (context: GateContext, command: string): GetBaselineResult | null => {
  const { subject, timeoutMs } = context;
  return createBaselineLookup(context, {
    readCacheFacts: async () =>
      readCommandFacts(subject, await expandCommand(subject, command, subject.base, timeoutMs)),
    run: () => runTests(subject, command, subject.base, timeoutMs),
  });
};

/** Reruns for failures, where they fit into the time that is left. */
export function createReruns(
  { processResult: { durationMs } }: CommandRun,
  left: () => number,
  run: (tree: string) => Promise<CommandRun>,
  { tree, base }: Pick<PatchSubject, 'tree' | 'base'>,
): FailureReruns {
  const rerun = async (of: string): Promise<CommandRun | null> => (left() < 2 * durationMs ? null : run(of));
  return { rerunPatch: () => rerun(tree), rerunBase: () => rerun(base) };
}

function once<Value>(
  all: WeakMap<PatchSubject, Map<string, Promise<Value>>>,
  subject: PatchSubject,
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
  subject: PatchSubject,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<string> {
  if (!command.includes('{files}')) return command;
  const { buildSelectedTestsCommand } = await import('../../rules/tests/selected-tests-command.ts');
  return buildSelectedTestsCommand(subject, command, tree, timeoutMs);
}
