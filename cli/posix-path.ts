import { sep } from 'node:path';

/** Converts a path of this machine to one with "/" as separator, as repositories and requests have it. */
export const toPosixPath = (path: string, separator: string = sep): string => path.split(separator).join('/');
