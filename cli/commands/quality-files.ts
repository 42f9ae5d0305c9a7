import { type Command, Option } from 'commander';
import type * as z from 'zod';
import type { FileHealth, FileHistory, FileList } from '../../shared/control/file-health/schemas.ts';
import { GRADES, type Grade } from '../../shared/control/file-health/score.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { wholeNumber } from '../whole-number.ts';

function atMostOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw new CliError(EXIT.usage, 'bad_option', `--at-most must be 0 to 100, not ${oneLine(text)}.`);
}

type Health = z.infer<typeof FileHealth>;
const score = (value: number | null): string => (value === null ? '-' : String(value));
const FLAGGED = { low: 'low', fell: 'has fallen' } as const;
const right = (title: string) => ({ title, align: 'right' as const });

function renderFiles(files: readonly Health[], session: Session): string {
  if (files.length === 0) return 'Nothing yet.';
  const many = new Set(files.map(({ repository }) => repository)).size > 1;
  return renderTable(
    [
      { title: 'FILE', shrinkTo: 20 },
      right('HEALTH'),
      { title: 'GRADE' },
      right('BUGS'),
      right('FINDINGS'),
      right('FLAKY'),
      right('CHURN'),
      right('FAILED'),
      right('REVERTED'),
      { title: 'LOOK AT IT', optional: true },
      ...(many ? [{ title: 'REPOSITORY', optional: true, shrinkTo: 16 }] : []),
    ],
    files.map((each) => [
      each.flagged ? { text: oneLine(each.path), style: session.out.yellow } : oneLine(each.path),
      String(each.total),
      each.grade,
      score(each.bug_density_score),
      score(each.findings_score),
      score(each.flaky_score),
      score(each.churn_score),
      `${each.failure_touches} of ${each.failure_touches + each.success_touches}`,
      String(each.reverts),
      each.flag_reason === null ? '' : FLAGGED[each.flag_reason],
      ...(many ? [oneLine(each.repository)] : []),
    ]),
    session.io.stdout.columns,
    session.out.dim,
  );
}

function renderList(answer: z.infer<typeof FileList>, session: Session): string {
  const { total_tracked: all, flagged_for_review: flagged, avg_score: mean } = answer.summary;
  return [
    renderFiles(answer.files, session),
    ...(all === 0 ? [] : ['', `${all} known, ${flagged} to be looked at; mean ${score(mean)} of 100`]),
    ...(answer.truncated ? ['There are more than are looked at: name a --repository.'] : []),
  ].join('\n');
}

function renderHistory(
  { score: health, touch_history: touches }: z.infer<typeof FileHistory>,
  session: Session,
) {
  return [
    renderFiles([health], session),
    '',
    ...touches.map(
      ({ timestamp, outcome, task_id, previous_total: before, new_total: now, flagged }) =>
        `${session.out.dim(timestamp)}  ${outcome.padEnd(8)} ${before === null ? '' : `${before} to `}${now}${flagged ? session.out.yellow(' flagged') : ''}  ${task_id}`,
    ),
  ].join('\n');
}

interface Options {
  readonly repository?: string;
  readonly limit: number;
  readonly atMost?: number;
  readonly grade?: Grade;
  readonly flagged?: true;
}

/** `assay quality files` */
export function registerFiles(quality: Command, io: Io): void {
  const files = quality
    .command('files')
    .argument('[path]', 'one file, with what has happened to it')
    .description('Files that agents have changed, the least healthy first')
    .option('--repository <url>', 'of this repository only')
    .option('--flagged', 'only those that somebody should look at')
    .option('--at-most <score>', 'only those of this health or less, 0 to 100', atMostOf)
    .addOption(new Option('--grade <grade>', 'only those of this grade').choices(GRADES))
    .option('--limit <n>', 'so many, 1 to 500', wholeNumber, 50)
    .option(...JSON_OPTION);
  action<[string | undefined, Options]>(
    files,
    io,
    async (session, path, { repository, limit, atMost, grade, flagged }) => {
      const of = repository === undefined ? {} : { repository };
      const client = session.client();
      if (path !== undefined) {
        const answer = await client.qualityFile({ query: { ...of, path } });
        if (session.json) session.printJson(answer);
        else session.print(renderHistory(answer, session));
      } else if (flagged) {
        const answer = await client.qualityFilesFlagged({ query: of });
        if (session.json) session.printJson(answer);
        else session.print(renderFiles(answer.files, session));
      } else {
        const query = {
          ...of,
          limit,
          ...(atMost !== undefined && { min_score: atMost }),
          ...(grade && { grade }),
        };
        const answer = await client.qualityFiles({ query });
        if (session.json) session.printJson(answer);
        else session.print(renderList(answer, session));
      }
      return EXIT.ok;
    },
  );
  examples(files, [
    ['quality files', 'where work goes wrong, and where it is undone'],
    ['quality files --flagged --json', 'for a script'],
    ['quality files src/cart.ts', 'what has happened to one file'],
  ]);
}
