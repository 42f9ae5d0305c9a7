import { resolve } from 'node:path';
import { CONTAINER_ENV_NAMES, ECS_CONTAINER_NAMES } from '../shared/contract/resource-names.ts';

/** What this machine's user has told Node to trust, boxes and functions that deliver trust. */
export function trustedCaEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const file = environment['NODE_EXTRA_CA_CERTS'];
  return file ? { [CONTAINER_ENV_NAMES.caFile]: resolve(file) } : {};
}

/** What a box has of this machine: an agent is told of no browser, as it has none on AWS. */
export function containerEnvironment(
  container: string,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const browser = environment[CONTAINER_ENV_NAMES.browser];
  return {
    ...trustedCaEnvironment(environment),
    ...(container === ECS_CONTAINER_NAMES.gates && browser && { [CONTAINER_ENV_NAMES.browser]: browser }),
  };
}
