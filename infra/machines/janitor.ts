import type { JanitorStepInput } from '../../shared/contract/messages/step-messages.ts';
import {
  JANITOR_TIMEOUT_SECONDS,
  JUDGING_TIMEOUT_SECONDS,
} from '../../shared/reviews/judging/judging-limits.ts';
import {
  createInvokeState,
  IS_RETRY_EXPRESSION,
  LAMBDA_FAULT_RETRY,
  type StateDefinitionJson,
  UNEXPECTED_FAIL_STATE,
} from './state-definitions.ts';

export interface JanitorDefinitionResources {
  readonly partition: string;
  /** ARN of the function that does the steps. */
  readonly janitorFunction: string;
  /** ARN of the function that asks models. */
  readonly judgeFunction: string;
}

const OF_ATTEMPT = {
  run: '{% $states.context.Execution.Input.run %}',
  task_id: '{% $states.context.Execution.Input.task_id %}',
  attempt: '{% $states.context.Execution.Input.attempt %}',
};

/**
 * From evidence to one verdict on one tree. It never waits for a box, so it is done within minutes; who waits for its verdict hears of it by
 * the write.
 */
export function buildJanitorDefinition({
  partition,
  janitorFunction,
  judgeFunction,
}: JanitorDefinitionResources): StateDefinitionJson {
  const step = (name: JanitorStepInput['step'], more: StateDefinitionJson = {}): StateDefinitionJson =>
    createInvokeState(partition, janitorFunction, { step: name, ...OF_ATTEMPT, ...more });

  return {
    Comment: 'Evidence of one attempt becomes one verdict.',
    QueryLanguage: 'JSONata',
    StartAt: 'Reduce',
    TimeoutSeconds: JANITOR_TIMEOUT_SECONDS,
    States: {
      Reduce: {
        Comment:
          'Outcomes of signals and gates become a preliminary verdict with reasons. Where models are to be asked, one execution writes that it does.',
        ...step('reduce', {
          is_retry: IS_RETRY_EXPRESSION,
          execution_id: '{% $states.context.Execution.Id %}',
        }),
        Assign: {
          verdict: '{% $states.result.Payload.verdict %}',
          requirementsReview: '{% $states.result.Payload.requirements_review %}',
          reviewPipeline: '{% $states.result.Payload.review_pipeline %}',
          judgements: [],
        },
        Next: 'MayJudgesChangeIt',
      },

      MayJudgesChangeIt: {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $states.input.next = 'judge' %}", Next: 'Judge' },
          { Condition: "{% $states.input.next = 'superseded' %}", Next: 'Superseded' },
        ],
        Default: 'Combine',
      },

      Judge: {
        Comment: 'Models are asked side by side; whoever does not answer in time has not judged.',
        ...createInvokeState(partition, judgeFunction, {
          ...OF_ATTEMPT,
          requirements_review: '{% $requirementsReview %}',
          review_pipeline: '{% $reviewPipeline %}',
        }),
        TimeoutSeconds: JUDGING_TIMEOUT_SECONDS + 10,
        Assign: { judgements: '{% $states.result.Payload %}' },
        // Tried again only where it was not called at all: what was asked has been paid for.
        Retry: [LAMBDA_FAULT_RETRY],
        // Without an answer the work is held, and the error line of the function alarms.
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Combine' }],
        Next: 'Combine',
      },

      Combine: {
        Comment: 'The verdict is written to the task, bound to the tree that it is about.',
        ...step('combine', {
          verdict: '{% $verdict %}',
          judgements: '{% $judgements %}',
          requirements_review: '{% $requirementsReview %}',
          review_pipeline: '{% $reviewPipeline %}',
        }),
        End: true,
      },

      Superseded: { Comment: 'Another execution comes to the verdict.', Type: 'Succeed' },
      Unexpected: UNEXPECTED_FAIL_STATE,
    },
  };
}
