import { ENV, MODEL_KEYS } from '../shared/contract/names.ts';
import type { Lent } from './lent.ts';

/**
 * Takes the keys of models out of this process's environment, so that no process it starts inherits them, and makes of them what the
 * functions that reach the providers get in their threads. Without any key those have no provider, and say so.
 */
export function takeModelKeys(environment: NodeJS.ProcessEnv): Lent {
  const lent: Record<string, string> = {};
  const providers: Record<string, unknown> = {};
  for (const [name, { key, url }] of Object.entries(MODEL_KEYS)) {
    const value = environment[key];
    const base = environment[url];
    delete environment[key];
    if (!value) continue;
    lent[key] = value;
    providers[name] = { via: 'environment', variable: key, ...(base && { url: base }) };
  }
  const judges: Record<string, string> = { [ENV.judgeModels]: environment[ENV.judgeModels] || '{}' };
  for (const variable of (environment[ENV.judgeKeys] ?? '').split(',').filter(Boolean)) {
    const value = lent[variable] ?? environment[variable];
    delete environment[variable];
    if (value) judges[variable] = value;
  }
  const vendors = { [ENV.modelVendors]: JSON.stringify(Object.keys(providers)) };
  return {
    [ENV.modelProviders]: { ...lent, [ENV.modelProviders]: JSON.stringify(providers) },
    [ENV.modelVendors]: vendors,
    [ENV.judgeModels]: judges,
    [ENV.judgesKnown]: { [ENV.judgesKnown]: judges[ENV.judgeModels] ?? '{}' },
  };
}
