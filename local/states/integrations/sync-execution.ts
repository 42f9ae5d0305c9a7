import type { Json } from '../../properties.ts';
import { ServiceError } from '../../service-error.ts';
import { StateError } from '../interpreter/errors.ts';

/** StartSyncExecution of the API: camelCase keys, times in seconds since 1970. Throws `ServiceError`. */
export type StartSync = (request: Json) => Promise<Json>;

/** `aws-sdk:sfn:startSyncExecution`. An execution that fails is an answer with its status, not an error. */
export async function startSyncExecution(startSync: StartSync, args: Json): Promise<unknown> {
  const { StateMachineArn: stateMachineArn, Input: input, Name: name } = args;
  const request = {
    stateMachineArn,
    ...(input === undefined ? {} : { input: typeof input === 'string' ? input : JSON.stringify(input) }),
    ...(name === undefined ? {} : { name }),
  };
  try {
    return sdkShape(await startSync(request));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new StateError(`Sfn.${error.code.replace(/(Exception)?$/, 'Exception')}`, error.message);
  }
}

/** As AWS SDK integrations give it: PascalCase keys, times as ISO 8601 text. */
function sdkShape(value: Json): Json {
  const shaped: Json = {};
  for (const [key, item] of Object.entries(value)) {
    const name = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
    shaped[name] = key.endsWith('Date') ? new Date(Number(item) * 1_000).toISOString() : shapeOf(item);
  }
  return shaped;
}

function shapeOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? sdkShape({ ...item }) : item;
}
