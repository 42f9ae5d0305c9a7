import type { FUNCTION_ENV_NAMES } from '../contract/resource-names.ts';

type Name = (typeof FUNCTION_ENV_NAMES)[keyof typeof FUNCTION_ENV_NAMES] | `ASSAY_QUEUE_${string}`;

/** A variable that the template must have set. Missing: the deployment is broken, and saying so by name beats a later surprise. */
export function readRequiredEnv(name: Name): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set`);
  return value;
}

export const readOptionalEnv = (name: Name, otherwise: string): string => process.env[name] || otherwise;
