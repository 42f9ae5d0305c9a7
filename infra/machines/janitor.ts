import type { JanitorStep } from '../../shared/messages/queue.ts';
import { invoke, type State, UNEXPECTED } from './states.ts';

export interface JanitorParts {
  readonly partition: string;
  /** ARN of the function that does the steps. */
  readonly janitorFunction: string;
}

/** From evidence to one verdict on one tree. An Express machine: it never waits for a box, so it is done within seconds. */
export function janitorDefinition({ partition, janitorFunction }: JanitorParts): State {
  const step = (name: JanitorStep['step'], more: State = {}): State =>
    invoke(partition, janitorFunction, {
      step: name,
      task_id: '{% $states.context.Execution.Input.task_id %}',
      attempt: '{% $states.context.Execution.Input.attempt %}',
      ...more,
    });

  return {
    Comment: 'Evidence of one attempt becomes one verdict.',
    QueryLanguage: 'JSONata',
    StartAt: 'Reduce',
    // Just below the five minutes after which Express ends an execution without a word.
    TimeoutSeconds: 290,
    States: {
      Reduce: {
        Comment: 'Outcomes of signals and gates become a preliminary verdict with reasons.',
        ...step('reduce'),
        Next: 'Combine',
      },

      Combine: {
        Comment: 'The verdict is written to the task, bound to the tree that it is about.',
        ...step('combine', { verdicts: ['{% $states.input %}'] }),
        End: true,
      },

      Unexpected: UNEXPECTED,
    },
  };
}
