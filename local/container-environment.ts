import { resolve } from 'node:path';
import { CONTAINER_ENV_NAMES, ECS_CONTAINER_NAMES } from '../shared/contract/resource-names.ts';

/**
 * Returns the variable that makes containers and the delivery function trust NODE_EXTRA_CA_CERTS of this
 * process.
 */
export function trustedCaEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const file = environment['NODE_EXTRA_CA_CERTS'];
  return file ? { [CONTAINER_ENV_NAMES.caFile]: resolve(file) } : {};
}

/**
 * Returns the variables that a container gets from this machine. Only gates get the browser: agents have none
 * on AWS.
 */
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
