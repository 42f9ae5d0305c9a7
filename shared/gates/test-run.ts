import type { RunResult } from '../process/run.ts';
import type { Subject } from './subject.ts';

const runs = new WeakMap<Subject, Map<string, Promise<RunResult>>>();

/**
 * Runs a command that runs tests on a tree, in a checkout of its own. Several gates ask for the same run; the first one's result,
 * and its time limit, count for all.
 * A line with `{files}` in it is run on the tests that the patch can break; see tests/select.ts.
 */
export function testRun(
  subject: Subject,
  command: string,
  tree: string,
  timeoutMs: number,
): Promise<RunResult> {
  const known = runs.get(subject) ?? new Map<string, Promise<RunResult>>();
  runs.set(subject, known);
  const key = `${tree}\0${command}`;
  const there = known.get(key);
  if (there) return there;
  const running = lineFor(subject, command, tree, timeoutMs).then(async (line) =>
    (await subject.rooms.enter(tree)).run({ line }, timeoutMs),
  );
  known.set(key, running);
  return running;
}

/** A command with `{files}` in it is run on the tests that the patch can break. */
async function lineFor(subject: Subject, command: string, tree: string, timeoutMs: number): Promise<string> {
  if (!command.includes('{files}')) return command;
  const { withSelectedTests } = await import('./tests/placeholder.ts');
  return withSelectedTests(subject, command, tree, timeoutMs);
}
