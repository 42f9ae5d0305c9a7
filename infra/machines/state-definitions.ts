/** Building blocks that both machines are told with. */

/** A state, or part of one, in the Amazon States Language. */
export type StateDefinitionJson = Readonly<Record<string, unknown>>;

/** ARN of a service integration, e.g. `lambda:invoke`. */
export const serviceIntegrationArn = (partition: string, action: string): string =>
  `arn:${partition}:states:::${action}`;

/** How what passes is tried again. Jitter keeps executions that failed together from coming back together. */
export const TRANSIENT_FAULT_RETRY = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 6,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
} as const;

/** Faults on Lambda's side. */
export const LAMBDA_FAULT_RETRY = {
  ...TRANSIENT_FAULT_RETRY,
  ErrorEquals: [
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
    'Lambda.TooManyRequestsException',
  ],
} as const;

/** The step itself failed. Every step may be done again, and a throttled table or a slow bucket has recovered by then. */
export const STEP_FAILURE_RETRY = {
  ErrorEquals: ['States.TaskFailed', 'States.Timeout'],
  IntervalSeconds: 1,
  BackoffRate: 3,
  MaxAttempts: 2,
  JitterStrategy: 'FULL',
} as const;

/** What nobody foresaw ends the execution as failed, with the error it ended by: that fires an alarm, and the reconciler starts another one. */
export const CATCH_UNEXPECTED_ERRORS = [{ ErrorEquals: ['States.ALL'], Next: 'Unexpected' }] as const;

export const UNEXPECTED_FAIL_STATE: StateDefinitionJson = {
  Type: 'Fail',
  Error: '{% $states.input.Error %}',
  Cause: "{% $states.input.Cause ? $states.input.Cause : 'no cause was given' %}",
};

/** Is this state tried again? */
export const IS_RETRY_EXPRESSION = '{% $states.context.State.RetryCount > 0 %}';

/** Invokes a function; the state's output is what the function answers. */
export const createInvokeState = (
  partition: string,
  functionArn: string,
  payload: StateDefinitionJson,
): StateDefinitionJson => ({
  Type: 'Task',
  Resource: serviceIntegrationArn(partition, 'lambda:invoke'),
  Arguments: { FunctionName: functionArn, Payload: payload },
  Output: '{% $states.result.Payload %}',
  TimeoutSeconds: 60,
  Retry: [LAMBDA_FAULT_RETRY, STEP_FAILURE_RETRY],
  Catch: CATCH_UNEXPECTED_ERRORS,
});
