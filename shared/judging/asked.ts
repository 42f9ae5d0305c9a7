import type { Verdict } from '../evidence/schema.ts';
import { isJudged, type JudgedSignal } from '../task/signals.ts';
import type { Task } from '../task/task.ts';
import type { Judgement } from './judgement.ts';
import { type SecondLook, unlooked } from './second-look.ts';
import { headOf, unaskedJudgement } from './signal.ts';

/** What models are to be asked about a task, in the order in which it names them. */
export const judgedSignals = (task: Pick<Task, 'completion_signals'>): JudgedSignal[] =>
  task.completion_signals.filter(isJudged);

/** Why a model is not asked: it could not change the verdict. Null: it is asked. */
export const needless = ({ verdict }: Pick<Verdict, 'verdict'>): string | null =>
  verdict === 'fail' ? 'not asked: what was observed has failed already, and no opinion mends that' : null;

/** A judgement for each that was to be made: what nobody was asked for, and what did not come back, is one too. */
export function allJudgements(
  task: Pick<Task, 'completion_signals'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
  look: SecondLook | null = null,
): Judgement[] {
  const because = needless(observed);
  const signals = judgedSignals(task);
  const ofSignals = signals.map((signal, index) => {
    if (because !== null) return unaskedJudgement(signal, { outcome: 'skipped', because });
    const found = made[index];
    return found?.subject === headOf(signal).subject
      ? found
      : unaskedJudgement(signal, { outcome: 'infra_failed', because: 'the judging step gave no answer' });
  });
  if (look === null) return ofSignals;
  const looked = look.outcome === 'asked' ? made.find(({ kind }) => kind === 'second_look') : undefined;
  return [...ofSignals, looked ?? unlooked(look)];
}
