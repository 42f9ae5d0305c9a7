import { ENV, MODEL_KEYS } from '../shared/names.ts';
import type { Lent } from './lent.ts';

/**
 * Takes the keys of models out of this process's environment, so that no process it starts inherits them, and makes of them what the
 * function that reaches the providers gets in its thread. Without any key that function has no provider, and says so.
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
  const vendors = { [ENV.modelVendors]: JSON.stringify(Object.keys(providers)) };
  return {
    [ENV.modelProviders]: { ...lent, [ENV.modelProviders]: JSON.stringify(providers) },
    [ENV.modelVendors]: vendors,
  };
}
