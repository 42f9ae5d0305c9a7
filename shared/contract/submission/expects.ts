import * as z from 'zod';

/** Kinds of files that steer checks, which a requester may foresee; the table of files is in `gates/rules/protect/rules.ts`. */
export const FORESEEABLE = [
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
export const EXPECTATIONS = ['tests_change', 'expectations_change', ...FORESEEABLE] as const;
export const Expectation = z.enum(EXPECTATIONS);
export type Expectation = z.infer<typeof Expectation>;

/**
 * Kinds of files that steer checks. `intrusion` is nothing that work consists of: installed tools, results of earlier runs that tools
 * believe, modules that hide a checker's own. No word foresees it; such a file must be named.
 */
export const ProtectedClass = z.enum([...FORESEEABLE, 'intrusion']);
export type ProtectedClass = z.infer<typeof ProtectedClass>;
