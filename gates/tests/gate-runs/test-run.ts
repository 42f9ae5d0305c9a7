import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Subject } from '../../core/subject.ts';
import { askBase, lineFacts } from '../comparing/ask.ts';
import { failsFast } from '../comparing/fails-fast.ts';
import { flakyLook } from '../comparing/flaky-terms.ts';
import { resultOn } from '../comparing/result.ts';
import { writtenFiles, writtenTests } from '../comparing/written.ts';
import type { Execution, Surroundings } from '../running/execution.ts';
import { reporting } from '../running/reporting.ts';
import { runLine } from '../running/run-line.ts';

const runs = new WeakMap<Subject, Map<string, Promise<Execution>>>();
const results = new WeakMap<Subject, Map<string, Promise<GateResult>>>();

/**
 * Runs a command that runs tests on a tree, in a checkout of its own. Several gates ask for the same run; the first one's result,
 * and its time limit, count for all.
 * A line with `{files}` in it is run on the tests that the patch can break; see tests/select.ts.
 */
export const testRun = (
  subject: Subject,
  command: string,
  tree: string,
  timeoutMs: number,
  surroundings: Surroundings = {},
): Promise<Execution> =>
  once(runs, subject, `${tree}\0${command}\0${JSON.stringify(surroundings)}`, () =>
    fresh(subject, command, tree, timeoutMs, surroundings),
  );

const fresh = async (
  subject: Subject,
  command: string,
  tree: string,
  timeoutMs: number,
  surroundings: Surroundings = {},
): Promise<Execution> => {
  const line = await reporting(subject, await lineFor(subject, command, tree, timeoutMs));
  return runLine(
    await subject.rooms.enter(tree),
    { ...line, extra: { ...surroundings, ...line.extra } },
    timeoutMs,
  );
};

/**
 * What the tests say about a tree of the patch, compared with the base test by test where they fail. Shared between gates like the
 * runs themselves.
 * @param left time that is left, in milliseconds.
 */
export const testsOn = (
  context: GateContext,
  command: string,
  tree: string,
  left: () => number,
): Promise<GateResult> =>
  once(results, context.subject, `${tree}\0${command}`, async () => {
    const { subject, flaky = null } = context;
    const run = await testRun(subject, command, tree, left());
    const onBase = (): Promise<string> => lineFor(subject, command, subject.base, left());
    return resultOn(run, {
      blame: 'not_in_base',
      base: askBase(context, {
        facts: async () => lineFacts(subject, await onBase()),
        run: () => testRun(subject, command, subject.base, left()),
      }),
      written: async () => writtenTests(await writtenFiles(subject)),
      failsFast: await failsFast(subject, command),
      ...(flaky
        ? { flaky: flakyLook(context, flaky, command, () => fresh(subject, command, tree, left())) }
        : {}),
    });
  });

function once<Value>(
  all: WeakMap<Subject, Map<string, Promise<Value>>>,
  subject: Subject,
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
async function lineFor(subject: Subject, command: string, tree: string, timeoutMs: number): Promise<string> {
  if (!command.includes('{files}')) return command;
  const { withSelectedTests } = await import('../../rules/tests/placeholder.ts');
  return withSelectedTests(subject, command, tree, timeoutMs);
}
