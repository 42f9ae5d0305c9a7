import { loadNamedSqlQueries } from '../../shared/control/ledger/named-queries.ts';
import { formatDollars, formatPercent } from '../../shared/lib/format.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { toOneLine } from '../output/text.ts';
import type { QueryResult, QueryValue } from '../query/query-result.ts';
import { RECORD_SOURCE_OPTIONS, runSqlOnRecords } from '../query/run-sql.ts';

const QUERY = 'examiner-precision';
const NAMES: Readonly<Record<string, string>> = { acceptance_tests: 'examiner', challenge: 'challenger' };

const count = (value: QueryValue): string => (value === null ? '-' : String(value));
const share = (value: QueryValue): string => (typeof value === 'number' ? formatPercent(value) : '-');

const toObjects = ({ columns, rows }: QueryResult): Record<string, QueryValue>[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));

function renderExaminers(rows: readonly Record<string, QueryValue>[], session: LocalCommandSession): string {
  if (rows.length === 0) return 'No acceptance tests and no challenge ran.';
  const right = (title: string) => ({ title, align: 'right' as const });
  return session.table(
    [
      { title: 'AUTHOR' },
      { title: 'REPOSITORY', shrinkTo: 16 },
      { title: 'MODEL', shrinkTo: 10 },
      ...[
        'VERDICTS',
        'FAILED',
        'DEMANDED',
        'CONFIRMED',
        'OVERRULED',
        'PRECISION',
        'MISSED',
        'COVERAGE',
        'USD',
        'USD EACH',
      ].map(right),
    ],
    rows.map((row) => [
      NAMES[String(row['gate'])] ?? count(row['gate'] ?? null),
      toOneLine(count(row['repository'] ?? null)),
      toOneLine(count(row['model'] ?? null)),
      count(row['verdicts'] ?? null),
      count(row['failed'] ?? null),
      share(row['adjudicated_precision'] ?? null),
      count(row['confirmed'] ?? null),
      count(row['overruled'] ?? null),
      share(row['reviewed_precision'] ?? null),
      count(row['missed'] ?? null),
      share(row['coverage'] ?? null),
      ...['cost_usd', 'cost_per_verdict_usd'].map((name) => {
        const usd = row[name];
        return formatDollars(typeof usd === 'number' ? usd : null);
      }),
    ]),
  );
}

/** `examiner`: how far the authors of independent evidence can be relied on. */
export const examinerCommand = defineLocalCommand({
  name: 'examiner',
  options: RECORD_SOURCE_OPTIONS,
  json: '`--json` prints `{"authors": [{…}]}` with the columns of the named query `examiner-precision`. Null is unknown.',
  examples: [
    ['examiner', 'on the records of `assay up` in this folder'],
    ['examiner --athena --stack Assay --json', 'on a deployment, for a script'],
  ],
  run: async (session, options) => {
    const sql = loadNamedSqlQueries().find(({ name }) => name === QUERY)?.sql ?? '';
    const result = await runSqlOnRecords(sql, options, session);
    const authors = toObjects(result);
    session.show({ authors }, () => renderExaminers(authors, session));
    for (const note of result.notes) session.note(note);
    return undefined;
  },
});
