import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { Lent } from './lent.ts';

/** Settings that hold from the next start, and need no template of their own. */
const LENT = [FUNCTION_ENV_NAMES.cascadePolicy, FUNCTION_ENV_NAMES.defaultAdapter] as const;

/** What whoever started the stack says of these, for the functions that have such a setting. */
export const lentSettings = (environment: NodeJS.ProcessEnv): Lent =>
  Object.fromEntries(
    LENT.flatMap((name) => {
      const value = environment[name];
      return value ? [[name, { [name]: value }]] : [];
    }),
  );
