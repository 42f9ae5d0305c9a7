import type {
  ExpectedChangeKind,
  ProtectedFileKind,
} from '../../../shared/contract/submission/expected-changes.ts';
import { compileGlob } from '../../../shared/lib/glob/glob.ts';

/** What is known beforehand of the files that steer checks. */
export interface ProtectionExemptionSettings {
  /** Files that the task names. A folder names nothing that is in it. */
  readonly taskFiles: readonly string[];
  /** Kinds of change that the task foresees. */
  readonly expectedChanges: readonly ExpectedChangeKind[];
  /** Globs of the base commit's `protected: allow:`. */
  readonly allowGlobs: readonly string[];
}

/** What allows a patch to change a file that steers checks, in words for the evidence; null: nothing does. */
export type ExemptionReasonLookup = (path: string, kind: ProtectedFileKind) => string | null;

export function createExemptionReasonLookup({
  taskFiles,
  expectedChanges,
  allowGlobs,
}: ProtectionExemptionSettings): ExemptionReasonLookup {
  const named = new Set(taskFiles);
  const foreseen: ReadonlySet<string> = new Set(expectedChanges);
  const globs = allowGlobs.map((glob) => ({ glob, matches: compileGlob(glob, { dot: true }) }));
  return (path, kind) => {
    if (named.has(path)) return 'files of the task';
    if (foreseen.has(kind)) return `expected_changes: ${kind}`;
    const glob = globs.find(({ matches }) => matches(path))?.glob;
    return glob === undefined ? null : `protected.allow of the base: ${glob}`;
  };
}
