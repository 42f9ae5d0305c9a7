import * as z from 'zod';

/** Kinds of files that steer checks, which a requester may foresee; the table of files is in `gates/rules/protect/protection-rules.ts`. */
export const EXPECTABLE_PROTECTED_FILE_KINDS = [
  'ci',
  'lint_config',
  'scanner_config',
  'type_config',
  'test_config',
  'coverage_config',
  'manifest',
  'dependencies',
  'build_scripts',
  'toolchain',
  'git_settings',
  'agent_config',
  'gates_config',
] as const;

/** What a requester may foresee of the work. `tests_change` and `expectations_change` are about the tests themselves. */
export const EXPECTED_CHANGE_KINDS = [
  'tests_change',
  'expectations_change',
  ...EXPECTABLE_PROTECTED_FILE_KINDS,
] as const;
export const ExpectedChangeKind = z.enum(EXPECTED_CHANGE_KINDS);
export type ExpectedChangeKind = z.infer<typeof ExpectedChangeKind>;

/**
 * Kinds of files that steer checks. `intrusion` is nothing that work consists of: installed tools, results of earlier runs that tools
 * believe, modules that hide a checker's own. No word foresees it; such a file must be named.
 */
export const ProtectedFileKind = z.enum([...EXPECTABLE_PROTECTED_FILE_KINDS, 'intrusion']);
export type ProtectedFileKind = z.infer<typeof ProtectedFileKind>;

/** Whether a protected file was checked in another version than the one that will be delivered. */
export const isRestoredProtectedFile = (file: {
  readonly checked_version: 'base' | 'part' | 'patch';
}): boolean => file.checked_version !== 'patch';
