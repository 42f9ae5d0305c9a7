import { parse } from 'smol-toml';

export type TomlTable = Readonly<Record<string, unknown>>;

/** Returns the tables of a TOML text; a text that cannot be read has none. */
export function parseTomlTables(text: string | null): TomlTable {
  try {
    return parse(text ?? '');
  } catch {
    return {};
  }
}
