import type { LocalCommandSession } from '../local-session.ts';
import { defineOption, parseTimeLimit } from '../parameters.ts';
import type { QueryResult } from './query-result.ts';
import { describeEmptyRecordsFolder, findRecordsFolder, RECORDS_FOLDER_OPTION } from './records.ts';

/** Options of commands that query records, here or in Athena. */
export const RECORD_SOURCE_OPTIONS = {
  records: RECORDS_FOLDER_OPTION,
  athena: defineOption('--athena', 'query Athena, with the AWS credentials of the environment'),
  stack: defineOption('--stack <name>', 'with --athena: name of the stack', { default: 'Assay' }),
  timeout: defineOption('--timeout <seconds>', 'with --athena: time limit', {
    parse: parseTimeLimit,
    default: 300,
  }),
};

interface RecordSource {
  readonly records?: string | undefined;
  readonly athena?: boolean | undefined;
  readonly stack: string;
  readonly timeout: number;
}

/** Runs SQL on the records of a folder, or on those of a deployment. @throws CliError */
export async function runSqlOnRecords(
  sql: string,
  { records, athena, stack, timeout }: RecordSource,
  session: LocalCommandSession,
): Promise<QueryResult> {
  if (athena) return (await import('./athena.ts')).queryAthena(sql, { stack, timeoutMs: timeout * 1_000 });
  const { InMemoryRecordsDatabase } = await import('./records-database.ts');
  const folder = findRecordsFolder(records, session.io.cwd);
  const database = await InMemoryRecordsDatabase.open(folder);
  try {
    const result = await database.query(sql);
    const empty = describeEmptyRecordsFolder(folder);
    return empty === null ? result : { ...result, notes: [...result.notes, empty] };
  } finally {
    database.close();
  }
}
