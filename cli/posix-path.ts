import { sep } from 'node:path';

/** A path of this machine as repositories and requests write it, with "/" between its parts, whatever this machine has there. */
export const toPosixPath = (path: string, separator: string = sep): string => path.split(separator).join('/');
