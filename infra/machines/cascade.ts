import type { CASCADE_STEPS, REPOSITORY_STEPS, STAGES } from '../../shared/messages/queue.ts';
import type { BoxKind } from '../../shared/task/attempt.ts';
import { integration, invoke, OTHERWISE_UNEXPECTED, STEP_FAULTS, type State, UNEXPECTED } from './states.ts';

export interface CascadeParts {
  /** `aws`, `aws-cn`, …: service integrations are named by ARNs. */
  readonly partition: string;
  /** ARN of the function that does the steps. */
  readonly cascadeFunction: string;
  /** ARN of the function that asks a repository for the commit of a ref. */
  readonly resolverFunction: string;
  /** ARN of the Express machine that comes to a verdict. */
  readonly janitorMachine: string;
  /** URLs of the agents queues of priority 1, 2 and 3. */
  readonly agentQueues: readonly [string, string, string];
  /** URL. */
  readonly gatesQueue: string;
}

type Stage = (typeof STAGES)[number];

/** The state that each stage goes on in. */
const STATE_OF = {
  resolve_base: 'ResolveBase',
  select_model: 'SelectModel',
  run_agent: 'RunAgent',
  run_gates: 'RunGates',
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

/** The execution's input: ids only. State lives in the table, so any execution can go on where another one was lost. */
const TASK_ID = '{% $states.context.Execution.Input.task_id %}';
const RUN = '{% $states.context.Execution.Input.run %}';
const ATTEMPT = '{% $states.input.attempt %}';
/** Not in what executions of earlier versions carry. */
const SUBMITTER = "{% $exists($states.input.submitter) ? $states.input.submitter : 'nobody' %}";

const HOUR = 3_600;
/** Seconds after which a state that waits for a box asks again. A message in the queue is a sign of life each time that it comes: at the most some 5 minutes apart. */
const HEARTBEAT = 900;

/**
 * One task, from the commit that it starts from to its end. What goes from state to state is where the task stands:
 * `{stage, attempt, priority, submitter}`, as the last step or box has said it.
 */
export function cascadeDefinition(parts: CascadeParts): State {
  const { partition, agentQueues, gatesQueue } = parts;

  const step = (name: (typeof CASCADE_STEPS)[number], more: State = {}): State =>
    invoke(partition, parts.cascadeFunction, { step: name, task_id: TASK_ID, run: RUN, ...more });

  /** Asks the repository. */
  const ask = (name: (typeof REPOSITORY_STEPS)[number]): State =>
    invoke(partition, parts.resolverFunction, { step: name, task_id: TASK_ID, run: RUN });

  /** Asks the dispatcher for a box, and waits until that box has reported or was given up. */
  const box = (kind: BoxKind, queueUrl: string, backstopSeconds: number): State => ({
    Type: 'Task',
    Resource: integration(partition, 'sqs:sendMessage.waitForTaskToken'),
    Arguments: {
      QueueUrl: queueUrl,
      MessageBody: {
        schema_version: 1,
        kind,
        task_id: TASK_ID,
        attempt: ATTEMPT,
        run: RUN,
        task_token: '{% $states.context.Task.Token %}',
      },
      // Makes a fair queue of a standard one: who has much in work is served after those who have little.
      MessageGroupId: SUBMITTER,
    },
    Output: '{% $merge([$states.input, $states.result]) %}',
    // Leases and the reconciler act within minutes. This is for the day on which they do not.
    TimeoutSeconds: backstopSeconds,
    HeartbeatSeconds: HEARTBEAT,
    Retry: [
      // Sends the message again, with a new token. Where the box has reported, the run was superseded or the task is over, the dispatcher wakes
      // it at once: no word that was lost holds an execution for longer than this. Where the box runs, it only brings the token.
      {
        ErrorEquals: ['States.HeartbeatTimeout'],
        IntervalSeconds: 1,
        BackoffRate: 1,
        MaxAttempts: 400,
        JitterStrategy: 'FULL',
      },
      {
        ErrorEquals: ['SQS.AmazonSQSException', 'SQS.SdkClientException'],
        IntervalSeconds: 1,
        BackoffRate: 2,
        MaxAttempts: 6,
        MaxDelaySeconds: 30,
        JitterStrategy: 'FULL',
      },
    ],
    Catch: OTHERWISE_UNEXPECTED,
  });

  const queueOfPriority = `{% ['${agentQueues.join("', '")}'][$states.input.priority - 1] %}`;

  return {
    Comment: 'One task: the cheapest model that can do it, verified, delivered.',
    QueryLanguage: 'JSONata',
    StartAt: 'ResolveBase',
    States: {
      ResolveBase: {
        Comment:
          'Asks the repository what the base ref stands for, or says where the task stands when that is known.',
        ...ask('resolve_base'),
        // Nearly always. What is not for it, it hands on.
        Next: 'SelectModel',
      },

      SelectModel: {
        Comment: 'Starts the next attempt, or waits for the task that holds the files.',
        ...step('select_model', { said: '{% $states.input %}' }),
        Next: 'WhereNext',
      },

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

      Later: {
        Comment: 'A provider or a repository wants to be left alone for so long; then it is asked again.',
        Type: 'Wait',
        Seconds: '{% $states.input.wait_s %}',
        Next: 'ResolveBase',
      },

      RunAgent: {
        Comment: 'An agent works in a box of its own.',
        ...box('agent', queueOfPriority, 24 * HOUR),
        // Where an agent has brought nothing to look at, the dispatcher says so in the place of a box.
        Next: 'RunGates',
      },

      RunGates: {
        Comment: 'Signals and gates run on the result in a second, clean box.',
        ...box('gates', gatesQueue, 12 * HOUR),
        Next: 'WhereNext',
      },

      Verify: {
        Comment: 'The janitor reduces the evidence to one verdict, which it writes to the task.',
        Type: 'Task',
        Resource: integration(partition, 'aws-sdk:sfn:startSyncExecution'),
        Arguments: {
          StateMachineArn: parts.janitorMachine,
          Input:
            '{% $string({ "task_id": $states.context.Execution.Input.task_id, "attempt": $states.input.attempt }) %}',
        },
        // StartSyncExecution answers 200 also when the execution failed.
        Output:
          "{% $states.result.Status = 'SUCCEEDED' ? $states.input : $error('the janitor ended as ' & $states.result.Status & ': ' & $states.result.Cause) %}",
        // As long as an Express execution may take.
        TimeoutSeconds: 300,
        Retry: [{ ...STEP_FAULTS, ErrorEquals: [...STEP_FAULTS.ErrorEquals, 'States.QueryEvaluationError'] }],
        Catch: OTHERWISE_UNEXPECTED,
        Next: 'Decide',
      },

      Decide: {
        Comment: 'Accept, try again, climb to a stronger model, ask a person, or give up.',
        ...step('decide'),
        Next: 'WhereNext',
      },

      Deliver: {
        Comment: 'Pushes the tree that the verdict is about, and no other.',
        ...box('deliver', gatesQueue, 6 * HOUR),
        Next: 'Settle',
      },

      FindBranch: {
        Comment: 'No box that had leave to push came back: asks the repository whether the branch is there.',
        ...ask('find_branch'),
        Next: 'WhereNext',
      },

      Settle: {
        Comment: 'Done, or failed.',
        ...step('settle'),
        End: true,
      },

      Held: { Comment: 'A person is asked; the review starts a new execution.', Type: 'Succeed' },
      Waiting: { Comment: 'Another task holds the files; its end starts a new execution.', Type: 'Succeed' },
      Superseded: { Comment: 'A newer execution has taken over.', Type: 'Succeed' },
      Ended: { Comment: 'There is nothing left to do.', Type: 'Succeed' },

      UnknownStage: {
        Type: 'Fail',
        Error: 'UnknownStage',
        Cause: "{% 'there is no state for the stage ' & $string($states.input.stage) %}",
      },
      Unexpected: UNEXPECTED,
    },
  };
}
