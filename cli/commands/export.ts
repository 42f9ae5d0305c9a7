import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { RECORD_TABLE_NAMES } from '../../shared/control/ledger/record-rows.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import { toOneLine } from '../output/text.ts';
import { defineOption, type OptionParser } from '../parameters.ts';
import { describeEmptyRecordsFolder, findRecordsFolder, RECORDS_FOLDER_OPTION } from '../query/records.ts';

const day: OptionParser<string> = (text, flag) => {
  const parsed = z.iso.date().safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'bad_option',
    `${flag} must be a day (YYYY-MM-DD), not ${toOneLine(text)}.`,
  );
};

export const exportCommand = defineLocalCommand({
  name: 'export',
  options: {
    since: defineOption('--since <day>', 'first day, as YYYY-MM-DD in UTC', { parse: day, required: true }),
    to: defineOption('--to <dir>', 'folder for the files; created if missing', { default: 'assay-export' }),
    records: RECORDS_FOLDER_OPTION,
  },
  json: '`--json` prints `{"since": string, "files": [{"table", "file", "rows"}]}`.',
  examples: [
    ['export --since 2026-11-01', 'one Parquet file for each table, in ./assay-export'],
    ['export --since 2026-11-01 --to /mnt/lake/assay --json', 'to another folder, for a script'],
  ],
  run: async (session, { since, to, records: given }) => {
    const { InMemoryRecordsDatabase } = await import('../query/records-database.ts');
    const source = findRecordsFolder(given, session.io.cwd);
    const folder = resolve(session.io.cwd, to);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    const records = await InMemoryRecordsDatabase.open(source, folder);
    try {
      const files: { table: string; file: string; rows: number }[] = [];
      for (const table of RECORD_TABLE_NAMES) {
        const file = join(folder, `${table}.parquet`);
        files.push({ table, file, rows: await records.exportParquet(table, since, file) });
      }
      session.show({ since, files }, () =>
        files.map(({ file, rows }) => `${file}: ${formatCount(rows, 'row')}`).join('\n'),
      );
      const empty = describeEmptyRecordsFolder(source);
      for (const note of await records.unreadableLines(RECORD_TABLE_NAMES)) session.note(note);
      if (empty !== null) session.note(empty);
    } finally {
      records.close();
    }
    return undefined;
  },
});
