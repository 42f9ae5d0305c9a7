import { ALLOWED_FILES_GATE } from '../../shared/contract/evidence/gate-names.ts';
import type { ChangedProtectedFile, GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';

/** What becomes of a patch that changes more than the files that its task names. */
export const ALLOWED_FILES_SETTINGS = ['warning', 'info', 'off'] as const;
export type AllowedFilesSetting = (typeof ALLOWED_FILES_SETTINGS)[number];

/** Most files that are listed, and that the detail names. */
const LISTED = 100;
const NAMED = 5;

export interface AllowedFilesOptions {
  readonly setting: AllowedFilesSetting;
  /** Files and folders of the task; without any, nothing is outside. */
  readonly taskFiles: readonly string[];
  readonly expectedChanges: readonly ExpectedChangeKind[];
  /** What the patch touches, old names of renamed files included. */
  readonly changedPaths: readonly string[];
  readonly protectedFiles: readonly Pick<ChangedProtectedFile, 'path' | 'allowed_by'>[];
}

/**
 * Looks whether a patch keeps to the files of its task. What was foreseen in another way is not outside: a file that steers checks and
 * is allowed, and tests where the task foresees that they change. Null: there is nothing to look at.
 */
export function checkAllowedFiles({
  setting,
  taskFiles,
  expectedChanges,
  changedPaths,
  protectedFiles,
}: AllowedFilesOptions): GateEvidence | null {
  if (setting === 'off' || taskFiles.length === 0 || changedPaths.length === 0) return null;
  const foreseen = new Set(
    protectedFiles.flatMap(({ path, allowed_by }) => (allowed_by === null ? [] : [path])),
  );
  const testsChange =
    expectedChanges.includes('tests_change') || expectedChanges.includes('expectations_change');
  const outside = changedPaths.filter(
    (path) => !foreseen.has(path) && !(testsChange && isTestPath(path)) && !isWithin(path, taskFiles),
  );
  const named = outside.slice(0, NAMED).join(', ');
  const more = outside.length > NAMED ? ` and ${outside.length - NAMED} more` : '';
  const holds = setting === 'warning';
  return {
    name: ALLOWED_FILES_GATE,
    outcome: holds && outside.length > 0 ? 'could_not_run' : 'passed',
    kind: 'checked',
    required: holds,
    blocked: false,
    cached: false,
    findings: outside.slice(0, LISTED).map((file) => ({
      file,
      line: null,
      rule: 'outside_allowed_files',
      message: 'is none of the files of the task',
    })),
    detail:
      outside.length === 0
        ? `all of ${changedPaths.length} changed files are files of the task, or foreseen`
        : `${holds ? 'a person must look: ' : ''}${outside.length} of ${changedPaths.length} changed files are outside of the task's files: ${named}${more}`.slice(
            0,
            4_000,
          ),
    duration_ms: 0,
    facts: { setting, files_changed: changedPaths.length, files_outside: outside.length },
  };
}

/** Whether a path is one of these files, or below one of these folders. */
export const isWithin = (path: string, files: readonly string[]): boolean =>
  files.some((file) => {
    const folder = file
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    return folder === '' || path === folder || path.startsWith(`${folder}/`);
  });
