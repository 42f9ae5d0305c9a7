import { BUILTIN_ROLES } from './builtin.ts';
import type { Role } from './role.ts';

/** A role that needs no repository, or null. */
export function findBuiltinRole(name: string): Role | null {
  const found = Object.hasOwn(BUILTIN_ROLES, name) ? BUILTIN_ROLES[name] : undefined;
  return found === undefined ? null : { ...found, name, source: 'builtin' };
}

export const BUILTIN_ROLE_NAMES: readonly string[] = Object.keys(BUILTIN_ROLES);
