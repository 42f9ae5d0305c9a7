import { isRecord, type UnknownRecord } from '../../resource-properties.ts';
import { ServiceError } from '../../service-actions.ts';
import type { LambdaHost } from '../../shared-types.ts';
import type { TaskResource } from '../definition/task-resource.ts';
import type { Execution } from '../execution.ts';
import { StateError } from '../interpreter/errors.ts';
import type { SendSqsMessageFunction } from './sqs.ts';

/** StartExecution of the API. @throws ServiceError. */
export type StartExecutionFunction = (request: UnknownRecord) => Execution;

/** The services that integrations call. */
export interface IntegratedServices {
  readonly lambda: LambdaHost;
  readonly sendMessage: SendSqsMessageFunction;
  readonly start: StartExecutionFunction;
}

/**
 * Calls the resource of a Task state and returns the answer. @throws StateError with the error names of the
 * integration.
 */
export async function callServiceIntegration(
  services: IntegratedServices,
  resource: TaskResource,
  args: unknown,
): Promise<unknown> {
  if (resource.kind === 'function') return callFunction(services.lambda, resource.functionArn, args);
  if (!isRecord(args)) throw new StateError('States.Runtime', 'Arguments must be an object.');
  const missing = resource.required.find((key) => args[key] === undefined);
  if (missing) throw new StateError('States.Runtime', `Arguments.${missing} is missing.`);
  switch (resource.kind) {
    case 'lambda:invoke':
      return invokeFunction(services.lambda, args);
    case 'sqs:sendMessage':
      return services.sendMessage(args);
    case 'states:startExecution':
      return beginExecution(services.start, args);
  }
}

/** A Task whose Resource is the ARN of a function. Returns the function's result. */
async function callFunction(lambda: LambdaHost, name: string, payload: unknown): Promise<unknown> {
  const result = await lambda.invoke(name, payload).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StateError('Lambda.SdkClientException', cause);
  });
  if (result.error) throw new StateError(result.error.errorType, JSON.stringify(result.error));
  return result.payload ?? null;
}

/** The optimised integration `lambda:invoke`. Returns the answer of the API, with the payload parsed. */
async function invokeFunction(lambda: LambdaHost, args: UnknownRecord): Promise<unknown> {
  const payload = await callFunction(lambda, String(args['FunctionName']), args['Payload'] ?? {});
  return { ExecutedVersion: '$LATEST', Payload: payload, StatusCode: 200 };
}

/** The optimised integration `states:startExecution`. The state does not wait for the other execution. */
function beginExecution(start: StartExecutionFunction, args: UnknownRecord): unknown {
  const { StateMachineArn: stateMachineArn, Input: input, Name: name } = args;
  try {
    const { arn, startedAt } = start({
      stateMachineArn,
      ...(input === undefined ? {} : { input: typeof input === 'string' ? input : JSON.stringify(input) }),
      ...(name === undefined ? {} : { name }),
    });
    return { ExecutionArn: arn, StartDate: startedAt };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new StateError(`StepFunctions.${error.code.replace(/(Exception)?$/, 'Exception')}`, error.message);
  }
}
