import { resolve } from 'node:path';
import { BOX_ENV, CONTAINER_NAME } from '../shared/contract/names.ts';

/** What this machine's user has told Node to trust, boxes and functions that deliver trust. */
export function trusted(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const file = environment['NODE_EXTRA_CA_CERTS'];
  return file ? { [BOX_ENV.caFile]: resolve(file) } : {};
}

/** What a box has of this machine: an agent is told of no browser, as it has none on AWS. */
export function machineEnvironment(
  container: string,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const browser = environment[BOX_ENV.browser];
  return {
    ...trusted(environment),
    ...(container === CONTAINER_NAME.gates && browser && { [BOX_ENV.browser]: browser }),
  };
}
