import type { ChallengeSettings } from '../../../shared/contract/evidence/independent.ts';
import type { ProtectedFileKind } from '../../../shared/contract/submission/expected-changes.ts';
import type { AuthorSignalType } from '../../../shared/contract/submission/signals.ts';
import { CONFIG_FILE, ConfigError, MAX_CONFIG_BYTES } from '../../core/configuration-file.ts';
import type { RuleSetting } from '../../core/rule-settings.ts';
import type { EnvironmentSetting } from '../../environment/environment-setting.ts';
import { findGateNameProblems } from '../../gates/custom/gate-name-problems.ts';
import { BUILT_IN_GATES } from '../../gates/gate-registry.ts';
import type { AllowedFilesSetting } from '../../rules/allowed-files.ts';
import type { AcceptanceTestSetting } from './acceptance-test-setting.ts';
import { type QualityGatesConfig, QualityGatesConfigSchema } from './config-schema.ts';
import { parseYamlFile, validateYamlFile } from './config-yaml.ts';
import { listRuleSettings } from './parse-rule-settings.ts';

export interface ParsedAssayConfig {
  /** Null: nothing is prepared. */
  readonly environment: EnvironmentSetting | null;
  readonly gates: QualityGatesConfig;
  /** Globs of files that steer checks and that a patch may change. */
  readonly protected: { readonly allow: readonly string[]; readonly review: readonly ProtectedFileKind[] };
  readonly acceptanceTests: AcceptanceTestSetting;
  /** Settings of challenges; null: it says nothing. */
  readonly challenge: ChallengeSettings | null;
  readonly allowedFiles: AllowedFilesSetting;
  /** Kinds of signals that the author of a pull request may name. */
  readonly authorSignals: readonly AuthorSignalType[];
  readonly rules: readonly RuleSetting[];
}

/**
 * Reads the text of an `assay.yaml`.
 * @param modules names of the gates that the same commit brings as modules.
 * @throws ConfigError that names every offending key and its line.
 */
export function parseAssayConfig(
  text: string,
  file: string = CONFIG_FILE,
  modules: readonly string[] = [],
): ParsedAssayConfig {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    throw new ConfigError(file, [{ key: '', line: 1, message: `is over ${MAX_CONFIG_BYTES} bytes` }]);
  const document = parseYamlFile(text, file);
  // An empty file is an empty configuration.
  const {
    environment = null,
    quality_gates,
    protected: steering,
    acceptance_tests,
    challenge,
    allowed_files,
    author_signals,
    rules,
  } = validateYamlFile(QualityGatesConfigSchema, {
    ...document,
    value: document.value ?? {},
  });
  const {
    enabled,
    timeout_s,
    allow_bypass,
    cache_enabled,
    base_ref,
    pipeline,
    custom_gates,
    bypasses,
    ...settings
  } = quality_gates as QualityGatesConfig & Record<string, unknown>;
  const problems = findGateNameProblems({
    builtIn: BUILT_IN_GATES.map(({ name }) => name),
    custom: custom_gates,
    modules,
    named: [
      ...(pipeline ?? []).map(({ name }, index) => ({
        name,
        path: ['quality_gates', 'pipeline', index, 'name'],
      })),
      ...bypasses.map(({ gate }, index) => ({
        name: gate,
        path: ['quality_gates', 'bypasses', index, 'gate'],
      })),
    ],
    lineOf: document.lineOf,
  });
  if (bypasses.length > 0 && !allow_bypass)
    problems.push({
      key: 'quality_gates.bypasses',
      line: document.lineOf(['quality_gates', 'bypasses']),
      message: 'needs allow_bypass: true',
    });
  if (problems.length > 0) throw new ConfigError(file, problems);
  return {
    environment,
    gates: {
      enabled,
      timeout_s,
      allow_bypass,
      cache_enabled,
      base_ref,
      pipeline,
      custom_gates,
      bypasses,
      modules,
      settings,
    },
    protected: steering,
    acceptanceTests: acceptance_tests,
    challenge: challenge ?? null,
    allowedFiles: allowed_files,
    authorSignals: author_signals,
    rules: listRuleSettings(rules),
  };
}
