import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { namedQueries } from '../../shared/control/ledger/named-queries.ts';

import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import type { LocalSession as Session } from '../local-session.ts';
import { renderTable } from '../output/table.ts';
import type { Answer, Value } from '../query/answer.ts';
import { SUMMARY } from '../summary.ts';
import { timeLimit } from '../time-limit.ts';

interface Options {
  readonly records?: string;
  readonly athena?: true;
  readonly stack: string;
  readonly timeout: number;
}

/** The SQL of a question: a named one, a file, or what comes on standard input. */
async function sqlOf(what: string, { io }: Session): Promise<string> {
  if (what === '-') return io.readStdin();
  const named = namedQueries().find(({ name }) => name === what);
  if (named) return named.sql;
  const file = resolve(io.cwd, what);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return readFileSync(file, 'utf8');
  throw new CliError(EXIT.notFound, 'no_query', `There is no named query and no file "${what}".`, {
    hint: '`assay query` lists the named ones; `assay query -` reads SQL from standard input.',
  });
}

const shown = (value: Value): string => {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

function render({ columns, rows }: Answer, session: Session): string {
  if (rows.length === 0) return 'No rows.';
  const isNumber = (index: number): boolean =>
    rows.every((row) => row[index] === null || typeof row[index] === 'number');
  return renderTable(
    columns.map((title, index) => ({
      title: title.toUpperCase(),
      ...(isNumber(index) ? { align: 'right' as const } : { shrinkTo: 12 }),
    })),
    rows.map((row) => row.map(shown)),
    session.io.stdout.columns,
    session.out.dim,
  );
}

async function ask(sql: string, options: Options, session: Session): Promise<Answer> {
  if (options.athena) {
    const { askAthena } = await import('../query/athena.ts');
    return askAthena(sql, { stack: options.stack, timeoutMs: options.timeout * 1_000 });
  }
  const [{ Records }, { noteOfNothing, recordsFolder }] = await Promise.all([
    import('../query/duckdb.ts'),
    import('../query/records.ts'),
  ]);
  const folder = recordsFolder(options.records, session.io.cwd);
  const records = await Records.open(folder);
  try {
    const answer = await records.ask(sql);
    const nothing = noteOfNothing(folder);
    return nothing === null ? answer : { ...answer, notes: [...answer.notes, nothing] };
  } finally {
    records.close();
  }
}

/** `assay query` */
export function registerQuery(program: Command, io: Io): void {
  const command = program
    .command('query')
    .description(SUMMARY.query)
    .argument(
      '[name|file|-]',
      'a named query, a file of SQL, or - for standard input; none: list the named ones',
    )
    .option('--records <dir>', 'folder of records, such as a copy from S3; else those of `assay up` here')
    .option('--athena', 'ask Athena, with the AWS credentials in the environment')
    .option('--stack <name>', 'with --athena: name of the stack', 'Assay')
    .option('--timeout <seconds>', 'with --athena: how long to wait', timeLimit, 300)
    .option(...JSON_OPTION);
  localAction<[string | undefined, Options]>(command, io, async (session, what, options) => {
    if (what === undefined) {
      const queries = namedQueries().map(({ name, about }) => ({ name, about }));
      if (session.json) session.printJson({ queries });
      else
        session.print(
          renderTable(
            [{ title: 'NAME' }, { title: 'QUESTION', shrinkTo: 20 }],
            queries.map(({ name, about }) => [{ text: name, style: session.out.bold }, about]),
            session.io.stdout.columns,
            session.out.dim,
          ),
        );
      return EXIT.ok;
    }
    const answer = await ask(await sqlOf(what, session), options, session);
    const { columns, rows } = answer;
    if (session.json)
      session.printJson({
        columns,
        rows: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))),
      });
    else session.print(render(answer, session));
    for (const note of answer.notes) session.note(note);
    return EXIT.ok;
  });
  examples(command, [
    ['query', 'which questions have a name'],
    ['query cost-per-accepted-patch', 'asks the records of `assay up` in this folder'],
    ['query slow-gates --records ./records --json', 'a copy of the bucket, for a script'],
    ['query unverified-ratio-by-day --athena --stack Assay', 'a deployment'],
    ["query - <<< 'SELECT status, count(*) AS n FROM tasks GROUP BY status'", 'a question of your own'],
  ]);
}
