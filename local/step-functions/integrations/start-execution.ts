import type { Json } from '../../properties.ts';
import { ServiceError } from '../../service-actions.ts';
import type { Execution } from '../execution.ts';
import { StateError } from '../interpreter/errors.ts';

/** StartExecution of the API. Throws `ServiceError`. */
export type StartExecution = (request: Json) => Execution;

/** The optimised integration `states:startExecution`: the other execution runs on its own, and the state goes on at once. */
export function beginExecution(start: StartExecution, args: Json): unknown {
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
