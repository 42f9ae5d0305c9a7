import type { LambdaHost } from '../../interfaces.ts';
import type { Json } from '../../properties.ts';
import { StateError } from '../interpreter/errors.ts';

/** A Task whose Resource is a function's ARN: its result is what the function returned. */
export async function callFunction(lambda: LambdaHost, name: string, payload: unknown): Promise<unknown> {
  const result = await lambda.invoke(name, payload).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StateError('Lambda.SdkClientException', cause);
  });
  if (result.error) throw new StateError(result.error.errorType, JSON.stringify(result.error));
  return result.payload ?? null;
}

/** The optimised integration `lambda:invoke`: its result is the answer of the API, with the payload parsed. */
export async function invokeFunction(lambda: LambdaHost, args: Json): Promise<unknown> {
  const payload = await callFunction(lambda, String(args['FunctionName']), args['Payload'] ?? {});
  return { ExecutedVersion: '$LATEST', Payload: payload, StatusCode: 200 };
}
