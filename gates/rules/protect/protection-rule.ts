import type { ProtectedFileKind } from '../../../shared/contract/submission/expected-changes.ts';

/** How much of a changed file is put back to the base: all of it, or the parts that steer checks. */
export type FileRestoreScope =
  | 'whole'
  | 'package_json'
  | 'deno_json'
  | 'cargo_toml'
  | 'pyproject_toml'
  | 'sections'
  | 'go_mod'
  | 'requirements'
  | 'conftest';

export interface FileProtection {
  /** What a requester calls such a change. */
  readonly kind: ProtectedFileKind;
  readonly reason: string;
  readonly restoreScope: FileRestoreScope;
}

export interface FileProtectionRule extends FileProtection {
  /** Globs of file names, in any folder. */
  readonly names?: readonly string[];
  /** Globs of whole paths. */
  readonly paths?: readonly string[];
}
