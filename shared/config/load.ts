import { ConfigError } from './error.ts';
import { CONFIG_FILE, MAX_CONFIG_BYTES } from './file.ts';
import { Config, type QualityGatesConfig } from './schema.ts';
import { checkYaml, readYaml } from './yaml.ts';

export interface LoadedConfig {
  readonly gates: QualityGatesConfig;
  readonly nudge: { readonly threshold?: number | undefined; readonly min_completions?: number | undefined };
}

/**
 * Reads the text of an `assay.yaml`.
 * @throws ConfigError that names every offending key and its line.
 */
export function parseConfig(text: string, file: string = CONFIG_FILE): LoadedConfig {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    throw new ConfigError(file, [{ key: '', line: 1, message: `is over ${MAX_CONFIG_BYTES} bytes` }]);
  const document = readYaml(text, file);
  // An empty file is an empty configuration.
  const { quality_gates, verification_nudge } = checkYaml(Config, {
    ...document,
    value: document.value ?? {},
  });
  const { enabled, timeout_s, allow_bypass, cache_enabled, base_ref, pipeline, ...settings } =
    quality_gates as QualityGatesConfig & Record<string, unknown>;
  return {
    gates: { enabled, timeout_s, allow_bypass, cache_enabled, base_ref, pipeline, settings },
    nudge: verification_nudge,
  };
}
