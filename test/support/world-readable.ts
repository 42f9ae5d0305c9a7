import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Can somebody without any right reach a path? Every folder above it must let others walk through. */
export function isReachableByAnyUser(path: string): boolean {
  const above = dirname(path);
  return (statSync(above).mode & 0o001) !== 0 && (above === path || isReachableByAnyUser(above));
}
