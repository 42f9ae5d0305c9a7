import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RECORD_TABLE_NAMES, type RecordTable } from '../../shared/control/ledger/rows.ts';
import { DATA_DIR, readConnectionFile } from '../connection.ts';
import { CliError, EXIT } from '../exit.ts';
import { HOW_TO_START } from '../programs.ts';

/** Folder of records below a folder: it itself, or what an export of the whole bucket has them in. */
const below = (folder: string): string | null => {
  const holds = (each: string): boolean =>
    existsSync(each) && readdirSync(each).some((name) => name.startsWith('table='));
  return [folder, join(folder, 'records')].find(holds) ?? null;
};

/**
 * Where the records lie on this machine: where `--records` says, else where the `assay up` of this folder keeps them.
 * @throws CliError when there is no such place. One without records is a place: nothing has happened yet.
 */
export function recordsFolder(given: string | undefined, cwd: string): string {
  if (given !== undefined) {
    const folder = resolve(cwd, given);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new CliError(EXIT.usage, 'no_records', `--records: there is no folder ${folder}`);
    return below(folder) ?? folder;
  }
  const folder = readConnectionFile(join(cwd, DATA_DIR))?.records_dir;
  if (folder !== undefined) return below(folder) ?? folder;
  throw new CliError(EXIT.usage, 'no_records', 'No records on this machine.', {
    hint: `Start ${HOW_TO_START}, or copy them (\`aws s3 sync s3://BUCKET/records records\`) and give --records records, or ask Athena with --athena.`,
  });
}

/** Whether a table has any file. */
export const hasFiles = (folder: string, table: RecordTable): boolean => {
  const of = join(folder, `table=${table}`);
  if (!existsSync(of)) return false;
  return readdirSync(of, { recursive: true }).some((name) => String(name).endsWith('.jsonl'));
};

/** What to say of a folder without a single record: an answer about nothing is no answer about the work. Null: there are some. */
export const noteOfNothing = (folder: string): string | null =>
  RECORD_TABLE_NAMES.some((table) => hasFiles(folder, table))
    ? null
    : `There are no records in ${folder}: nothing has happened yet, or they are elsewhere.`;
