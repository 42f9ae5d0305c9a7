import { FUNCTION_ENV_NAMES, VENDOR_ENV } from '../shared/contract/resource-names.ts';
import type { Lent } from './lent.ts';

/**
 * Takes the keys of models out of this process's environment, so that no process it starts inherits them, and makes of them what the
 * functions that reach the providers get in their threads. Without any key those have no provider, and say so.
 */
export function takeModelKeys(environment: NodeJS.ProcessEnv): Lent {
  const lent: Record<string, string> = {};
  const providers: Record<string, unknown> = {};
  for (const [name, { key, url }] of Object.entries(VENDOR_ENV)) {
    const value = environment[key];
    const base = environment[url];
    delete environment[key];
    if (!value) continue;
    lent[key] = value;
    providers[name] = { via: 'environment', variable: key, ...(base && { url: base }) };
  }
  const judges: Record<string, string> = {
    [FUNCTION_ENV_NAMES.judgeModels]: environment[FUNCTION_ENV_NAMES.judgeModels] || '{}',
  };
  for (const variable of (environment[FUNCTION_ENV_NAMES.judgeKeys] ?? '').split(',').filter(Boolean)) {
    const value = lent[variable] ?? environment[variable];
    delete environment[variable];
    if (value) judges[variable] = value;
  }
  const vendors = { [FUNCTION_ENV_NAMES.modelVendors]: JSON.stringify(Object.keys(providers)) };
  return {
    [FUNCTION_ENV_NAMES.modelProviders]: {
      ...lent,
      [FUNCTION_ENV_NAMES.modelProviders]: JSON.stringify(providers),
    },
    [FUNCTION_ENV_NAMES.modelVendors]: vendors,
    [FUNCTION_ENV_NAMES.judgeModels]: judges,
    [FUNCTION_ENV_NAMES.judgesKnown]: {
      [FUNCTION_ENV_NAMES.judgesKnown]: judges[FUNCTION_ENV_NAMES.judgeModels] ?? '{}',
    },
  };
}
