import { inStore, mustInStore, type Store } from '../checkout/store.ts';
import { ConfigError } from '../config/error.ts';
import { CONFIG_FILE, type LoadedConfig, MAX_CONFIG_BYTES, parseConfig } from '../config/load.ts';

/**
 * The configuration of the base commit, or null when it has none: then there are no gates.
 * @throws ConfigError
 */
export async function baseConfig(
  store: Store,
  base: string,
  instead: { readonly file: string; readonly text: string } | null,
): Promise<LoadedConfig | null> {
  if (instead) return parseConfig(instead.text, instead.file);
  const entry = (await mustInStore(store, ['ls-tree', '-z', base, '--', CONFIG_FILE])).toString('utf8');
  if (entry === '') return null;
  const [mode, type, id] = entry.split(/[\s\0]/);
  if (type !== 'blob' || mode === '120000' || id === undefined)
    throw new ConfigError(CONFIG_FILE, [{ key: '', line: 1, message: 'is not a regular file' }]);
  const blob = await inStore(store, ['cat-file', 'blob', id], { outputBytes: MAX_CONFIG_BYTES });
  if (blob.stopped === 'output_limit')
    throw new ConfigError(CONFIG_FILE, [{ key: '', line: 1, message: `is over ${MAX_CONFIG_BYTES} bytes` }]);
  return parseConfig(blob.stdout.toString('utf8'));
}
