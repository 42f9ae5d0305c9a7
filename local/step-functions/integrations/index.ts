import type { LambdaHost } from '../../interfaces.ts';
import { isRecord } from '../../properties.ts';
import type { TaskResource } from '../definition/task-resource.ts';
import { StateError } from '../interpreter/errors.ts';
import { callFunction, invokeFunction } from './lambda.ts';
import type { SendMessage } from './sqs.ts';
import { beginExecution, type StartExecution } from './start-execution.ts';

/** What the service integrations reach. */
export interface Services {
  readonly lambda: LambdaHost;
  readonly sendMessage: SendMessage;
  readonly start: StartExecution;
}

/** Does the work of a Task state and returns the service's answer. Throws `StateError` with the integration's error names. */
export async function callService(
  services: Services,
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
