import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  NO_ANSWER,
  NOBODY_CAME_BACK,
  type SecondLook,
} from '../../contract/judgement/judgement.ts';
import type { PipelineAsk } from '../../contract/judgement/review-pipeline.ts';
import { isJudged, type JudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import { unreviewed } from './pipeline-record.ts';
import { unlooked } from './second-look.ts';
import { headOf, unaskedJudgement } from './signal.ts';

/** What models are to be asked about a task, in the order in which it names them. */
export const judgedSignals = (task: Pick<Task, 'completion_signals' | 'foundation'>): JudgedSignal[] =>
  task.completion_signals
    .filter(isJudged)
    .map((signal) =>
      signal.type === 'quality_gate' && task.foundation ? { ...signal, foundation: true } : signal,
    );

/** Why a model is not asked: it could not change the verdict. Null: it is asked. */
export const needless = ({ verdict }: Pick<Verdict, 'verdict'>): string | null =>
  verdict === 'fail' ? 'not asked: what was observed has failed already, and no opinion mends that' : null;

/** A judgement for each that was to be made: what nobody was asked for, and what did not come back, is one too. */
export function allJudgements(
  task: Pick<Task, 'completion_signals' | 'foundation'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
  look: SecondLook | null = null,
  pipeline: PipelineAsk | null = null,
): Judgement[] {
  const because = needless(observed);
  const signals = judgedSignals(task);
  const ofSignals = signals.map((signal, index) => {
    if (because !== null) return unaskedJudgement(signal, { outcome: 'skipped', because });
    const found = made[index];
    return found?.subject === headOf(signal).subject
      ? found
      : {
          ...unaskedJudgement(signal, { outcome: 'infra_failed', because: NO_ANSWER }),
          calls: NOBODY_CAME_BACK.calls,
        };
  });
  return [...ofSignals, ...lookedAgain(made, look), ...reviewed(made, pipeline)];
}

/** The second look, and the comparison of expectations that belongs to it. */
function lookedAgain(made: readonly Judgement[], look: SecondLook | null): Judgement[] {
  if (look === null) return [];
  const found = look.outcome === 'asked' ? made.find(({ kind }) => kind === 'second_look') : undefined;
  return [found ?? unlooked(look), ...made.filter(({ kind }) => found && kind === 'expectations')];
}

/** The pipeline with its reviewers; without the word of the whole, no reviewer counts. */
function reviewed(made: readonly Judgement[], pipeline: PipelineAsk | null): Judgement[] {
  if (pipeline === null) return [];
  if (pipeline.outcome === 'skipped') return [unreviewed(pipeline, 'skipped', pipeline.because)];
  const whole = made.find(({ kind }) => kind === 'review_pipeline');
  if (!whole) return [{ ...unreviewed(pipeline, 'infra_failed', NO_ANSWER), calls: NOBODY_CAME_BACK.calls }];
  return [...made.filter(({ kind }) => kind === 'review'), whole];
}

/** Whether the reviewers of the base are asked about what was observed; null: the base names none. */
export function pipelineAsk(
  { review_pipeline: pipeline, empty_patch }: Pick<Evidence, 'review_pipeline' | 'empty_patch'>,
  observed: Pick<Verdict, 'verdict'>,
): PipelineAsk | null {
  if (!pipeline) return null;
  const { on_error } = pipeline;
  const skipped = needless(observed) ?? (empty_patch ? 'not asked: the patch changes nothing' : null);
  return skipped === null
    ? { outcome: 'asked', on_error, because: 'asked: the base has reviewers' }
    : { outcome: 'skipped', on_error, because: skipped };
}
