import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { RECORD_TABLE_NAMES } from '../../shared/control/ledger/rows.ts';
import { count } from '../../shared/lib/format.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { SUMMARY } from '../summary.ts';

interface Options {
  readonly since: string;
  readonly to: string;
  readonly records?: string;
}

const day = (text: string): string => {
  const parsed = z.iso.date().safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError('is not a day (YYYY-MM-DD)');
  return parsed.data;
};

/** `assay export` */
export function registerExport(program: Command, io: Io): void {
  const command = program
    .command('export')
    .description(SUMMARY.export)
    .requiredOption('--since <day>', 'first day, as YYYY-MM-DD in UTC', day)
    .option('--to <dir>', 'folder for the files; made where it is missing', 'assay-export')
    .option('--records <dir>', 'folder of records, such as a copy from S3; else those of `assay up` here')
    .option(...JSON_OPTION);
  localAction<[Options]>(command, io, async (session, { since, to, records: given }) => {
    const [{ Records }, { noteOfNothing, recordsFolder }] = await Promise.all([
      import('../query/duckdb.ts'),
      import('../query/records.ts'),
    ]);
    const source = recordsFolder(given, session.io.cwd);
    const folder = resolve(session.io.cwd, to);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    const records = await Records.open(source, folder);
    try {
      const files: { table: string; file: string; rows: number }[] = [];
      for (const table of RECORD_TABLE_NAMES) {
        const file = join(folder, `${table}.parquet`);
        files.push({ table, file, rows: await records.exportParquet(table, since, file) });
      }
      if (session.json) session.printJson({ since, files });
      else for (const { file, rows } of files) session.print(`${file}: ${count(rows, 'row')}`);
      const nothing = noteOfNothing(source);
      for (const note of [
        ...(await records.torn(RECORD_TABLE_NAMES)),
        ...(nothing === null ? [] : [nothing]),
      ])
        session.note(note);
    } finally {
      records.close();
    }
    return EXIT.ok;
  });
  examples(command, [
    ['export --since 2026-11-01', 'one Parquet file for each table, in ./assay-export'],
    ['export --since 2026-11-01 --to /mnt/lake/assay --json', 'somewhere else, for a script'],
  ]);
}
