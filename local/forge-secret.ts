import { EMBEDDED_FORGE_SECRET, ENV } from '../shared/contract/names.ts';
import type { Lent } from './lent.ts';

/**
 * Takes what forges are spoken with out of this process's environment, so that no process it starts inherits it, and lends the secret to the
 * threads of the two functions that speak with them. Those look at the whole of it. The secret alone turns nothing on, nor do the forges alone.
 */
export function takeForgeSecret(environment: NodeJS.ProcessEnv): Lent {
  const { [EMBEDDED_FORGE_SECRET]: secret, [ENV.forges]: forges } = environment;
  delete environment[EMBEDDED_FORGE_SECRET];
  delete environment[ENV.forges];
  if (!forges) return {};
  if (!secret) throw new Error(`${ENV.forges} goes with ${EMBEDDED_FORGE_SECRET}: set both, or neither`);
  return {
    [ENV.forges]: { [ENV.forges]: forges },
    [ENV.forgeSecret]: {
      [EMBEDDED_FORGE_SECRET]: secret,
      [ENV.forgeSecret]: JSON.stringify({ via: 'environment', variable: EMBEDDED_FORGE_SECRET }),
    },
  };
}
