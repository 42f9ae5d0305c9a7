import type { GateFinding } from '../../../core/gate-finding.ts';
import { isTestPath } from '../../../core/test-paths.ts';

/** A file of which nothing is left, as it is told: of tests a note. */
export const createEmptiedFileFinding = (path: string): GateFinding => ({
  file: path,
  line: null,
  rule: 'file_emptied',
  message: 'was emptied instead of deleted, so that whoever looks for it still finds it',
  severity: isTestPath(path) ? 'info' : 'error',
});
