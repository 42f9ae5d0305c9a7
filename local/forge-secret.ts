import { EMBEDDED_FORGE_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { Lent } from './lent.ts';

/**
 * Takes what forges are spoken with out of this process's environment, so that no process it starts inherits it, and lends the secret to the
 * threads of the two functions that speak with them. Those look at the whole of it. The secret alone turns nothing on, nor do the forges alone.
 */
export function takeForgeSecret(environment: NodeJS.ProcessEnv): Lent {
  const { [EMBEDDED_FORGE_SECRET_VARIABLE]: secret, [FUNCTION_ENV_NAMES.forges]: forges } = environment;
  delete environment[EMBEDDED_FORGE_SECRET_VARIABLE];
  delete environment[FUNCTION_ENV_NAMES.forges];
  if (!forges) return {};
  if (!secret)
    throw new Error(
      `${FUNCTION_ENV_NAMES.forges} goes with ${EMBEDDED_FORGE_SECRET_VARIABLE}: set both, or neither`,
    );
  return {
    [FUNCTION_ENV_NAMES.forges]: { [FUNCTION_ENV_NAMES.forges]: forges },
    [FUNCTION_ENV_NAMES.forgeSecret]: {
      [EMBEDDED_FORGE_SECRET_VARIABLE]: secret,
      [FUNCTION_ENV_NAMES.forgeSecret]: JSON.stringify({
        via: 'environment',
        variable: EMBEDDED_FORGE_SECRET_VARIABLE,
      }),
    },
  };
}
