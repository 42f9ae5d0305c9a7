import type * as z from 'zod';
import type {
  FileHealthList,
  FileHealthReport,
  FileHistory,
} from '../../shared/control/file-health/file-health-schemas.ts';
import { HEALTH_GRADES } from '../../shared/control/file-health/health-score.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';

type Health = z.infer<typeof FileHealthReport>;
const score = (value: number | null): string => (value === null ? '-' : String(value));
const FLAG_TEXT = { low: 'low', fell: 'has fallen' } as const;
const rightColumn = (title: string) => ({ title, align: 'right' as const });

function renderFiles(files: readonly Health[], session: ServerCommandSession): string {
  if (files.length === 0) return 'Nothing yet.';
  const hasSeveralRepositories = new Set(files.map(({ repository }) => repository)).size > 1;
  return session.table(
    [
      { title: 'FILE', shrinkTo: 20 },
      rightColumn('HEALTH'),
      { title: 'GRADE' },
      rightColumn('BUGS'),
      rightColumn('FINDINGS'),
      rightColumn('FLAKY'),
      rightColumn('CHURN'),
      rightColumn('FAILED'),
      rightColumn('REVERTED'),
      { title: 'FLAG', optional: true },
      ...(hasSeveralRepositories ? [{ title: 'REPOSITORY', optional: true, shrinkTo: 16 }] : []),
    ],
    files.map((each) => [
      each.flagged ? { text: toOneLine(each.path), style: session.out.yellow } : toOneLine(each.path),
      String(each.total),
      each.grade,
      score(each.bug_density_score),
      score(each.findings_score),
      score(each.flaky_score),
      score(each.churn_score),
      `${each.failure_touches} of ${each.failure_touches + each.success_touches}`,
      String(each.reverts),
      each.flag_reason === null ? '' : FLAG_TEXT[each.flag_reason],
      ...(hasSeveralRepositories ? [toOneLine(each.repository)] : []),
    ]),
  );
}

function renderList(
  { files, summary, truncated }: z.infer<typeof FileHealthList>,
  session: ServerCommandSession,
): string {
  const { total_tracked: all, flagged_for_review: flagged, avg_score: mean } = summary;
  return [
    renderFiles(files, session),
    ...(all === 0 ? [] : ['', `${all} tracked, ${flagged} flagged; mean ${score(mean)} of 100`]),
    ...(truncated ? ['There are more files than the listing reads: give a --repository.'] : []),
  ].join('\n');
}

const renderHistory = (
  { score: health, touch_history: touches }: z.infer<typeof FileHistory>,
  session: ServerCommandSession,
): string =>
  [
    renderFiles([health], session),
    '',
    ...touches.map(
      ({ timestamp, outcome, task_id, previous_total: before, new_total: now, flagged }) =>
        `${session.out.dim(timestamp)}  ${outcome.padEnd(8)} ${before === null ? '' : `${before} to `}${now}${flagged ? session.out.yellow(' flagged') : ''}  ${task_id}`,
    ),
  ].join('\n');

/** `quality files`: the health of the files that agents have changed. */
export const qualityFilesCommand = defineServerCommand({
  name: 'quality files',
  description: 'List the files that agents have changed, least healthy first',
  arguments: { path: defineArgument('[path]', 'one file, with its history') },
  options: {
    repository: defineOption('--repository <url>', 'only of this repository'),
    flagged: defineOption('--flagged', 'only flagged files'),
    atMost: defineOption('--at-most <score>', 'only files of this health or less, 0 to 100', {
      parse: createIntegerParser(0, 100),
    }),
    grade: defineOption('--grade <grade>', 'only files of this grade', { choices: HEALTH_GRADES }),
    limit: defineOption('--limit <n>', 'at most this many (maximum 500)', {
      parse: createIntegerParser(),
      default: 50,
    }),
  },
  json: '`--json` prints a `FileHealthList`; with `--flagged` a `FlaggedFiles`, with a path a `FileHistory`. Null is not measured, or not known yet.',
  examples: [
    ['quality files', 'the files with the most failures and reverts'],
    ['quality files --flagged --json', 'for a script'],
    ['quality files src/cart.ts', 'the history of one file'],
  ],
  run: async (session, { path, repository, flagged, atMost, grade, limit }) => {
    const client = session.client();
    if (path !== undefined) {
      const answer = await client.qualityFile({ query: { repository, path } });
      session.show(answer, () => renderHistory(answer, session));
    } else if (flagged) {
      const answer = await client.qualityFilesFlagged({ query: { repository } });
      session.show(answer, () => renderFiles(answer.files, session));
    } else {
      const answer = await client.qualityFiles({ query: { repository, limit, min_score: atMost, grade } });
      session.show(answer, () => renderList(answer, session));
    }
    return undefined;
  },
});
