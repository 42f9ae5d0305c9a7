import { COMPLETE_PATCH_GATE } from '../../shared/contract/evidence/gate-names.ts';
import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import type { FileChange } from '../../workspace/git/file-changes.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';
import type { JudgedTask } from '../core/judge.ts';
import { isTestPath } from '../core/test-paths.ts';
import { isScratchFile } from '../rules/suppressions/code/scratch-file.ts';

/** A path of the working tree that no check has looked at, and the reason, which follows the path in a sentence. */
export interface UncheckedPath {
  readonly path: string;
  readonly reason: string;
}

/** How many paths the detail names. */
const NAMED = 5;

/** Words of a title that ask for tests or documents. */
const ASKS_FOR_SUCH_FILES =
  /\b(?:tests?|specs?|coverage|cover|reproduc\w*|repro|docs?|document\w*|readme|changelog)\b/i;
const DOCUMENT = /\.(?:md|rst|txt|adoc)$/i;

export interface PatchScope {
  readonly changes: readonly Pick<FileChange, 'path' | 'kind'>[];
  /** Null: nobody knows what was asked. */
  readonly task: Pick<JudgedTask, 'title' | 'expects'> | null;
  /** Files that the task names, also in its signals. */
  readonly taskFiles: readonly string[];
}

/**
 * New tests, documents and scratch files where nothing that the base has was changed: they cannot do a task, unless it asks for such
 * files. Null: something else was changed.
 */
export function findOnlyNewFiles({ changes, task, taskFiles }: PatchScope): readonly UncheckedPath[] | null {
  if (task === null || task.title === '' || changes.length === 0) return null;
  const isBesides = ({ path, kind }: PatchScope['changes'][number]): boolean =>
    kind === 'added' &&
    !taskFiles.includes(path) &&
    (isTestPath(path) || isScratchFile(path) || DOCUMENT.test(path));
  if (!changes.every(isBesides)) return null;
  if (ASKS_FOR_SUCH_FILES.test(task.title) || task.expects?.includes('tests_change')) return null;
  return changes.map(({ path }) => ({
    path,
    reason: isScratchFile(path) ? 'is a new scratch file or backup' : 'is a new test or document',
  }));
}

/** States that the patch cannot be the whole work: a reviewer decides. Null: nothing shows that. */
export function buildCompletePatchEvidence(
  missing: readonly UncheckedPath[],
  scope: PatchScope,
): GateEvidence | null {
  if (missing.length > 0)
    return build(
      missing,
      'not_in_patch',
      'the patch does not hold everything',
      ': no check has looked at it',
    );
  const onlyNew = findOnlyNewFiles(scope);
  return onlyNew === null
    ? null
    : build(onlyNew, 'only_new_files', 'the patch changes nothing that the base has', '');
}

function build(missing: readonly UncheckedPath[], rule: string, lead: string, end: string): GateEvidence {
  const findings = missing.map(({ path, reason }) => ({
    file: toDisplayPath(path),
    line: null,
    rule,
    message: `${reason}${end}`,
  }));
  const named = findings.slice(0, NAMED).map(({ file, message }) => `${file} ${message}`);
  const more = findings.length > NAMED ? `; and ${findings.length - NAMED} more` : '';
  return {
    name: COMPLETE_PATCH_GATE,
    outcome: 'could_not_run',
    kind: 'checked',
    required: true,
    blocked: false,
    cached: false,
    findings,
    detail: `${lead}: ${named.join('; ')}${more}`.slice(0, 4_000),
    duration_ms: 0,
    metadata: { paths: missing.length },
  };
}
