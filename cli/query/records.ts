import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RECORD_TABLE_NAMES, type RecordTableName } from '../../shared/control/ledger/record-rows.ts';
import { readTrustedConnectionFile } from '../connection.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { START_STACK_COMMAND } from '../installation.ts';
import { defineOption } from '../parameters.ts';

/** Option of commands that read records. */
export const RECORDS_FOLDER_OPTION = defineOption(
  '--records <dir>',
  'folder of records, such as a copy from S3 (default: those of `assay up` here)',
);

/** Returns the folder of records at or below a folder: a copy of the whole bucket has them in `records`. */
const recordsBelow = (folder: string): string | null => {
  const holds = (each: string): boolean =>
    existsSync(each) && readdirSync(each).some((name) => name.startsWith('table='));
  return [folder, join(folder, 'records')].find(holds) ?? null;
};

/**
 * Returns the folder of records: the one of `--records`, else the one of `assay up` in this folder. It may be empty.
 * @throws CliError when there is no such folder
 */
export function findRecordsFolder(given: string | undefined, cwd: string): string {
  if (given !== undefined) {
    const folder = resolve(cwd, given);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new CliError(CLI_EXIT_CODES.usage, 'no_records', `--records: there is no folder ${folder}`);
    return recordsBelow(folder) ?? folder;
  }
  const folder = readTrustedConnectionFile(cwd)?.records_dir;
  if (folder !== undefined) return recordsBelow(folder) ?? folder;
  throw new CliError(CLI_EXIT_CODES.usage, 'no_records', 'No records on this machine.', {
    hint: `Start ${START_STACK_COMMAND}, or copy them (\`aws s3 sync s3://BUCKET/records records\`) and give --records records, or ask Athena with --athena.`,
  });
}

/** Whether a table has a file of records. */
export const hasRecordFiles = (folder: string, table: RecordTableName): boolean => {
  const of = join(folder, `table=${table}`);
  if (!existsSync(of)) return false;
  return readdirSync(of, { recursive: true }).some((name) => String(name).endsWith('.jsonl'));
};

/** Returns a note for a folder without records, whose results say nothing about the work; null: there are some. */
export const describeEmptyRecordsFolder = (folder: string): string | null =>
  RECORD_TABLE_NAMES.some((table) => hasRecordFiles(folder, table))
    ? null
    : `${folder} has no records: no task has run yet, or the records are in another folder.`;
