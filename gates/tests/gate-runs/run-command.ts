import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Subject } from '../../core/subject.ts';
import { askBase, lineFacts } from '../comparing/ask.ts';
import { resultOn } from '../comparing/result.ts';
import { withBehaviour } from '../experiments/behaviour/judge.ts';
import type { RunOptions } from '../experiments/behaviour/terms.ts';
import { addedLines } from '../running/added-lines.ts';
import type { Execution } from '../running/execution.ts';
import { guarded } from '../running/guarded.ts';
import type { Blame } from '../running/judge.ts';
import { runLine } from '../running/run-line.ts';
import { testRun, testsOn } from './test-run.ts';

export interface CommandTerms {
  /** It runs the project's tests. */
  readonly runsTests?: boolean;
  /** How complaints are told from those of the base; absent: the base is not asked, and every failure is the patch's. */
  readonly blame?: Blame;
}

/**
 * Runs a command line on the patch. Its exit code decides, and where it leaves a report, what that says; where the base counts, only
 * what the base has not.
 */
export async function runCommand(
  context: GateContext,
  command: string,
  { runsTests = false, blame }: CommandTerms = {},
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const results: GateResult[] = [];
  const runs: Execution[] = [];
  // The limit is the gate's: a second run, on what the patch took away, gets what the first one left.
  const left = subject.rooms.within(timeoutMs);
  const run = async (
    tree: string,
    { surroundings, limitMs = Number.POSITIVE_INFINITY }: RunOptions = {},
  ): Promise<Execution> =>
    runsTests
      ? testRun(subject, command, tree, Math.min(left(), limitMs), surroundings)
      : runLine(await subject.rooms.enter(tree), { line: command, plain: blame === undefined }, left());
  const base = blame
    ? askBase(context, { facts: () => lineFacts(subject, command), run: () => run(subject.base) })
    : null;
  const result = await guarded(subject, command, async (tree) => {
    const ran = await run(tree);
    const result = runsTests
      ? await testsOn(context, command, tree, left)
      : await resultOn(ran, {
          blame: blame ?? 'not_in_base',
          ...(blame === 'added_lines'
            ? { added: await addedLines(subject.store, subject.base, subject.tree) }
            : {}),
          base,
        });
    runs.push(ran);
    results.push(result);
    return result;
  });
  const last = runs.at(-1)?.ran;
  const [first] = results;
  const [execution] = runs;
  const metadata: GateEvidence['metadata'] = {
    command,
    runs: runs.length,
    exit_code: last?.exitCode ?? null,
    output_bytes_cut: last?.cutBytes ?? 0,
    ...first?.metadata,
    ...(runsTests ? await selectedNote(subject, command) : {}),
  };
  const ran: GateResult = {
    ...result,
    kind: 'executed_by_us',
    findings: [...(first?.findings ?? []), ...result.findings],
    metadata,
    ...(first?.tests ? { tests: first.tests } : {}),
  };
  return runsTests && execution
    ? withBehaviour(context, {
        result: ran,
        run: execution,
        base: askBase(context, { facts: () => lineFacts(subject, command), run: () => run(subject.base) }),
        again: run,
      })
    : ran;
}

/** Which tests were run, and why, where the command leaves that open. */
async function selectedNote(
  subject: Subject,
  command: string,
): Promise<{ readonly tests_selected?: string }> {
  if (!command.includes('{files}')) return {};
  const { selectionOf } = await import('../../rules/tests/placeholder.ts');
  const { kind, reason } = await selectionOf(subject, 0);
  return { tests_selected: kind === 'all' ? `all: ${reason}` : reason };
}
