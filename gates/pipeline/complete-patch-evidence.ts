import { COMPLETE_PATCH_GATE } from '../../shared/contract/evidence/gate-names.ts';
import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import { compileGlob } from '../../shared/lib/glob/glob.ts';
import type { FileChange } from '../../workspace/git/file-changes.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';
import { isWithin } from '../rules/allowed-files.ts';
import { isScratchFile } from '../rules/suppressions/code/scratch-file.ts';

/** A path of the working tree that no check has looked at, and the reason, which follows the path in a sentence. */
export interface UncheckedPath {
  readonly path: string;
  readonly reason: string;
}

/** How many paths the detail names. */
const NAMED = 5;

const DOCUMENT = /\.(?:md|rst|txt|adoc)$/i;
/** Built-in roles whose work is tests or documents. */
const TEST_ROLE = 'qa';
const DOCUMENT_ROLE = 'docs';

/** What a task asks for, as its fields say it. */
export interface AskedWork {
  /** Files and folders that it names. */
  readonly files: readonly string[];
  readonly expectedChanges: readonly ExpectedChangeKind[];
  readonly signals: readonly CompletionSignal[];
  /** Null: not known. */
  readonly role: string | null;
}

export interface PatchScope {
  readonly changes: readonly Pick<FileChange, 'path' | 'kind'>[];
  /** Null: no task is known. */
  readonly task: AskedWork | null;
}

/** Returns whether the task asks for a new file. */
function createAskedFileCheck({
  files,
  expectedChanges,
  signals,
  role,
}: AskedWork): (path: string) => boolean {
  const named = signals.flatMap((signal) => ('path' in signal ? [signal.path] : []));
  const globs = signals.flatMap((signal) =>
    signal.type === 'glob_exists' ? [compileGlob(signal.pattern, { dot: false })] : [],
  );
  const asksForTests =
    role === TEST_ROLE ||
    expectedChanges.includes('tests_change') ||
    expectedChanges.includes('expectations_change');
  return (path) =>
    isWithin(path, [...files, ...named]) ||
    globs.some((glob) => glob(path)) ||
    (asksForTests && isTestPath(path)) ||
    (role === DOCUMENT_ROLE && DOCUMENT.test(path));
}

/**
 * New tests, documents and scratch files where nothing that the base has was changed: they cannot do a task, unless it asks for such
 * files. Null: something else was changed.
 */
function listFilesOfAddOnlyPatch({ changes, task }: PatchScope): readonly UncheckedPath[] | null {
  if (task === null || changes.length === 0) return null;
  const isAsked = createAskedFileCheck(task);
  const isBesides = ({ path, kind }: PatchScope['changes'][number]): boolean =>
    kind === 'added' && !isAsked(path) && (isTestPath(path) || isScratchFile(path) || DOCUMENT.test(path));
  if (!changes.every(isBesides)) return null;
  return changes.map(({ path }) => ({
    path,
    reason: isScratchFile(path) ? 'is a new scratch file or backup' : 'is a new test or document',
  }));
}

/** States that the patch cannot be the whole work: a reviewer decides. Null: nothing shows that. */
export function buildPatchCompletenessEvidence(
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
  const onlyNew = listFilesOfAddOnlyPatch(scope);
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
    facts: { paths: missing.length },
  };
}
