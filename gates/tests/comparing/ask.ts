import type { GateContext } from '../../core/gate.ts';
import { type MemoryKey, memoryKey } from '../../core/memory.ts';
import type { Subject } from '../../core/subject.ts';
import type { Execution } from '../running/execution.ts';
import { answerOf, type BaseAnswer, KeptAnswer, keptOf } from './answer.ts';

/** Asks the base the same question as the patch, once, and only when somebody needs the answer. */
export type AskBase = () => Promise<BaseAnswer>;

export interface BaseQuestion {
  /** Everything that is asked besides the base itself: gate, line or tool, its version, set-up, folder. */
  readonly facts: () => Promise<unknown>;
  /** A failure without a report is a tool that broke, and no answer. */
  readonly mustReport?: boolean;
  /** Asks it. */
  readonly run: () => Promise<Execution>;
}

/** What the answer to a command line depends on. */
export const lineFacts = async ({ baseFile }: Pick<Subject, 'baseFile'>, line: string): Promise<unknown> => ({
  line,
  programs: await (await import('../running/programs.ts')).programsIn(line, await baseFile('package.json')),
});

/**
 * What the base answers is kept for its commit, and found again by everything that it depends on. What could not be determined
 * is not kept, and neither is anything where nobody knows what commands depend on here.
 * @returns null for a patch that changes nothing.
 */
export function askBase(
  { subject, baselines = null, surroundings = null }: GateContext,
  { facts, run, mustReport = false }: BaseQuestion,
): AskBase | null {
  // Who changes nothing says that the work was done already: then nothing excuses a failure.
  if (subject.changes.length === 0) return null;
  let asked: Promise<BaseAnswer> | null = null;
  const ask = async (): Promise<BaseAnswer> => {
    const key: MemoryKey | null =
      surroundings &&
      memoryKey('baselines', { schema: 2, ...surroundings, base: subject.base, facts: await facts() });
    const known = key && baselines ? KeptAnswer.safeParse(await baselines.get(key)) : null;
    if (known?.success) return { ...known.data, kept: true };
    const answer = answerOf(await run());
    const keep = keptOf(answer, mustReport);
    if (key && keep) await baselines?.put(key, keep);
    return answer;
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}
