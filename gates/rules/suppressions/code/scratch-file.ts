import type { FileChange } from '../../../../workspace/git/file-changes.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';

/** Names of files that are made to try something out, and of backups of editors. */
const SCRATCH_FILE =
  /(?:^|\/)(?:replicat\w*|repro(?:duc\w*)?|debug|scratch|tmp|temp|tryout)(?:[_-][\w-]*)?\.\w+$|(?:\.(?:bak|orig|rej|sw[op])|~)$|(?:^|\/)\.?#[^/]+$/i;

export const isScratchFile = (path: string): boolean => SCRATCH_FILE.test(path);

/** Names scratch files and backups of editors that a patch adds. */
export const findScratchFiles = (changes: readonly Pick<FileChange, 'path' | 'kind'>[]): GateFinding[] =>
  changes.flatMap(({ path, kind }): GateFinding[] =>
    kind === 'added' && isScratchFile(path)
      ? [
          {
            file: path,
            line: null,
            rule: 'scratch_file',
            message: 'is named like a scratch file or a backup of an editor',
            severity: 'info',
          },
        ]
      : [],
  );
