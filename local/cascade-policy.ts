import { ENV } from '../shared/names.ts';
import type { Lent } from './lent.ts';

/** How the cascade chooses, where whoever started the stack says so: for the functions that have such a setting. */
export function lentPolicy(environment: NodeJS.ProcessEnv): Lent {
  const policy = environment[ENV.cascadePolicy];
  return policy ? { [ENV.cascadePolicy]: { [ENV.cascadePolicy]: policy } } : {};
}
