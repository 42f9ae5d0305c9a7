import type { LaunchKind } from '../../shared/contract/launch-kind.ts';
import type {
  CASCADE_LAMBDA_STEPS,
  CASCADE_NEXT_STAGES,
  CASCADE_REPOSITORY_STEPS,
} from '../../shared/contract/messages/step-messages.ts';
import {
  CATCH_UNEXPECTED_ERRORS,
  createInvokeState,
  IS_RETRY_EXPRESSION,
  type StateDefinitionJson,
  serviceIntegrationArn,
  TRANSIENT_FAULT_RETRY,
  UNEXPECTED_FAIL_STATE,
} from './state-definitions.ts';

export interface CascadeDefinitionResources {
  /** `aws`, `aws-cn`, …: service integrations are named by ARNs. */
  readonly partition: string;
  /** ARN of the function that does the steps. */
  readonly cascadeFunction: string;
  /** ARN of the function that asks a repository for the commit of a ref. */
  readonly resolverFunction: string;
  /** ARN of the machine that comes to a verdict. */
  readonly janitorMachine: string;
  /** URLs of the agents queues of priority 1, 2 and 3. */
  readonly agentQueues: readonly [string, string, string];
  /** URL. */
  readonly gatesQueue: string;
}

type Stage = (typeof CASCADE_NEXT_STAGES)[number];

/** The state that each stage goes on in. */
const STATE_OF = {
  resolve_base: 'ResolveBase',
  select_model: 'SelectModel',
  run_agent: 'RunAgent',
  run_gates: 'RunGates',
  challenge: 'Challenge',
  verify: 'Verify',
  decide: 'Decide',
  deliver: 'Deliver',
  find_branch: 'FindBranch',
  settle: 'Settle',
  held: 'Held',
  waiting: 'Waiting',
  superseded: 'Superseded',
  ended: 'Ended',
} as const satisfies Record<Stage, string>;

/** Of the execution's input. State lives in the table, so any execution can go on where another one was lost. */
const TASK_ID = '{% $states.context.Execution.Input.task_id %}';
const RUN = '{% $states.context.Execution.Input.run %}';
const ATTEMPT = '{% $states.input.attempt %}';

/** Just below the five minutes after which Express ends an execution. What is not done by then the deadline of the task makes good. */
const MACHINE_SECONDS = 290;

/**
 * One task goes on from where it stands to where it has to wait: there the execution ends, and whoever brings what it waits for, a report,
 * a verdict or a person's word, writes that to the task, of which the next execution comes. What goes from state to state is where the task
 * stands: `{stage, attempt, priority, submitter}`, as the input or the last step has said it.
 */
export function buildCascadeDefinition(parts: CascadeDefinitionResources): StateDefinitionJson {
  const { partition, agentQueues, gatesQueue } = parts;

  const step = (
    name: (typeof CASCADE_LAMBDA_STEPS)[number],
    more: StateDefinitionJson = {},
  ): StateDefinitionJson => ({
    ...createInvokeState(partition, parts.cascadeFunction, {
      step: name,
      task_id: TASK_ID,
      run: RUN,
      is_retry: IS_RETRY_EXPRESSION,
      ...more,
    }),
    Next: 'WhereNext',
  });

  /** Asks the repository. */
  const ask = (name: (typeof CASCADE_REPOSITORY_STEPS)[number]): StateDefinitionJson => ({
    ...createInvokeState(partition, parts.resolverFunction, {
      step: name,
      task_id: TASK_ID,
      run: RUN,
      is_retry: IS_RETRY_EXPRESSION,
    }),
    Next: 'WhereNext',
  });

  /** Asks the dispatcher for a box. Its report, or that it was given up, is written to the task. */
  const box = (kind: LaunchKind, queueUrl: string): StateDefinitionJson => ({
    Type: 'Task',
    Resource: serviceIntegrationArn(partition, 'sqs:sendMessage'),
    Arguments: {
      QueueUrl: queueUrl,
      MessageBody: { schema_version: 1, kind, task_id: TASK_ID, attempt: ATTEMPT, run: RUN },
      // Makes a fair queue of a standard one: who has much in work is served after those who have little.
      MessageGroupId: '{% $states.input.submitter %}',
    },
    TimeoutSeconds: 60,
    Retry: [{ ...TRANSIENT_FAULT_RETRY, ErrorEquals: ['SQS.AmazonSQSException', 'SQS.SdkClientException'] }],
    Catch: CATCH_UNEXPECTED_ERRORS,
    End: true,
  });

  const queueOfPriority = `{% ['${agentQueues.join("', '")}'][$states.input.priority - 1] %}`;

  return {
    Comment: 'One task: the cheapest model that can do it, verified, delivered.',
    QueryLanguage: 'JSONata',
    StartAt: 'WhereNext',
    TimeoutSeconds: MACHINE_SECONDS,
    States: {
      WhereNext: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $exists($states.input.wait_s) %}', Next: 'Later' },
          ...Object.entries(STATE_OF).map(([stage, state]) => ({
            Condition: `{% $states.input.stage = '${stage}' %}`,
            Next: state,
          })),
        ],
        Default: 'UnknownStage',
      },

      ResolveBase: {
        Comment: 'Asks the repository what the base ref stands for.',
        ...ask('resolve_base'),
      },

      SelectModel: {
        Comment: 'Starts the next attempt, or waits for the task that holds the files.',
        ...step('select_model', { has_waited: '{% $exists($states.input.wait_s) %}' }),
      },

      Later: {
        Comment: 'A provider wants to be left alone for some seconds; then it is asked again, once.',
        Type: 'Wait',
        Seconds: '{% $states.input.wait_s %}',
        Next: 'SelectModel',
      },

      RunAgent: {
        Comment: 'An agent works in a box of its own.',
        ...box('agent', queueOfPriority),
      },

      RunGates: {
        Comment: 'Signals and gates run on the result in a second, clean box.',
        ...box('gates', gatesQueue),
      },

      Challenge: {
        Comment:
          'After everything cheaper has passed: a challenger tries to prove the patch wrong, in a container of its own.',
        ...box('challenger', gatesQueue),
      },

      Verify: {
        Comment: 'The janitor reduces the evidence to one verdict, which it writes to the task.',
        Type: 'Task',
        Resource: serviceIntegrationArn(partition, 'states:startExecution'),
        Arguments: {
          StateMachineArn: parts.janitorMachine,
          Input: { task_id: TASK_ID, run: RUN, attempt: ATTEMPT },
        },
        TimeoutSeconds: 60,
        Retry: [{ ...TRANSIENT_FAULT_RETRY, ErrorEquals: ['States.TaskFailed'] }],
        Catch: CATCH_UNEXPECTED_ERRORS,
        End: true,
      },

      Decide: {
        Comment: 'Accept, try again, climb to a stronger model, ask a person, or give up.',
        ...step('decide'),
      },

      Deliver: {
        Comment: 'Pushes the tree that the verdict is about, and no other.',
        ...box('deliver', gatesQueue),
      },

      FindBranch: {
        Comment: 'No box that had leave to push came back: asks the repository whether the branch is there.',
        ...ask('find_branch'),
      },

      Settle: {
        Comment: 'Done, or failed.',
        ...step('settle'),
      },

      Held: { Comment: 'A person is asked; the review starts a new run.', Type: 'Succeed' },
      Waiting: {
        Comment: 'Another task holds the files, or somebody wants to be left alone for minutes.',
        Type: 'Succeed',
      },
      Superseded: { Comment: 'Another execution goes on with it.', Type: 'Succeed' },
      Ended: { Comment: 'There is nothing left to do.', Type: 'Succeed' },

      UnknownStage: {
        Type: 'Fail',
        Error: 'UnknownStage',
        Cause: "{% 'there is no state for the stage ' & $string($states.input.stage) %}",
      },
      Unexpected: UNEXPECTED_FAIL_STATE,
    },
  };
}
