import { isUtf8 } from 'node:buffer';
import {
  MAX_PIPELINE_FILE_BYTES,
  REVIEW_PIPELINE_FILE,
  type ReviewPipeline,
} from '../../shared/contract/judgement/review-pipeline-schema.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readFileOfTree } from '../../workspace/git/tree-folder.ts';
import { CONFIG_FILE, ConfigError, MAX_CONFIG_BYTES } from '../core/configuration-file.ts';
import { listGateModules } from '../gates/custom/gate-modules.ts';
import type { ParsedAssayConfig } from './configuration/parse-config.ts';

/**
 * The configuration of the base commit, or null when it has none: then there are no gates.
 * @throws ConfigError
 */
export async function loadBaseConfig(
  store: GitStore,
  base: string,
  instead: { readonly file: string; readonly text: string } | null,
): Promise<ParsedAssayConfig | null> {
  if (instead) return parse(instead.text, instead.file, await listGateModules(store, base));
  const unusable = (message: string) => new ConfigError(CONFIG_FILE, [{ key: '', line: 1, message }]);
  try {
    const file = await readFileOfTree(store, base, CONFIG_FILE, MAX_CONFIG_BYTES);
    if (file === null) return null;
    if (!file.regular) throw unusable('is not a regular file');
    // Bytes that are no text would become others, and with them commands and paths.
    if (!isUtf8(file.content)) throw unusable('is not UTF-8 text');
    return await parse(file.content.toString('utf8'), CONFIG_FILE, await listGateModules(store, base));
  } catch (error) {
    if (error instanceof CheckoutError) throw unusable(`cannot be read: ${error.message}`);
    throw error;
  }
}

/** The YAML parser is loaded only when there is something to parse: most of a box's time is its start. */
async function parse(text: string, file: string, modules: readonly string[]): Promise<ParsedAssayConfig> {
  const { parseAssayConfig } = await import('./configuration/parse-config.ts');
  return parseAssayConfig(text, file, modules);
}

/**
 * The reviewers that the base commit names; null: none. Nobody is asked here: who judges is given them with the evidence.
 * @throws ConfigError
 */
export async function loadBaseReviewPipeline(store: GitStore, base: string): Promise<ReviewPipeline | null> {
  const unusable = (message: string, key = '', line = 1) =>
    new ConfigError(REVIEW_PIPELINE_FILE, [{ key, line, message }]);
  try {
    const file = await readFileOfTree(store, base, REVIEW_PIPELINE_FILE, MAX_PIPELINE_FILE_BYTES);
    if (file === null) return null;
    if (!file.regular) throw unusable('is not a regular file');
    if (!isUtf8(file.content)) throw unusable('is not UTF-8 text');
    // The parser is loaded only where there is something to parse.
    const [{ validateYamlFile, parseYamlFile }, { ReviewPipeline: schema }] = await Promise.all([
      import('./configuration/config-yaml.ts'),
      import('../../shared/contract/judgement/review-pipeline-schema.ts'),
    ]);
    return validateYamlFile(schema, parseYamlFile(file.content.toString('utf8'), REVIEW_PIPELINE_FILE));
  } catch (error) {
    if (error instanceof CheckoutError) throw unusable(`cannot be read: ${error.message}`);
    throw error;
  }
}
