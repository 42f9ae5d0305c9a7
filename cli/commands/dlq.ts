import type { Command } from 'commander';
import type { LetterView } from '../../shared/api/dead-letter-schemas.ts';
import { LETTER_STATUSES, LetterStatus } from '../../shared/control/dead-letters/status.ts';
import { age } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';

import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

const statusNamed = (text: string): LetterStatus => {
  const known = LetterStatus.safeParse(text);
  if (known.success) return known.data;
  throw new CliError(
    EXIT.usage,
    'bad_option',
    `--status ${oneLine(text)}: known are ${LETTER_STATUSES.join(', ')}.`,
  );
};

function renderLetters(letters: readonly LetterView[], session: Session): string {
  const now = Date.now();
  return renderTable(
    [
      { title: 'ID' },
      { title: 'STATUS' },
      { title: 'TRIES', align: 'right' },
      { title: 'AGE', align: 'right' },
      { title: 'NEXT', optional: true },
      { title: 'ERROR', shrinkTo: 16 },
    ],
    letters.map((each) => [
      { text: each.id, style: session.out.bold },
      each.status,
      `${each.attempts} of ${each.max_attempts}`,
      age(each.created_at, now),
      each.next_retry_at ?? (each.status === 'pending' ? 'when a person says so' : ''),
      oneLine(each.error),
    ]),
    session.io.stdout.columns,
    session.out.dim,
  );
}

function renderLetter(letter: LetterView, { out }: Session): string {
  const { id, operation, status, category, attempts, max_attempts, next_retry_at, error, args } = letter;
  return [
    `${out.bold(id)}  ${operation}, ${status}`,
    `${category}: ${oneLine(error)}`,
    `tried ${attempts} of ${max_attempts} times${next_retry_at ? `, next at ${next_retry_at}` : ''}`,
    `message: ${oneLine(args)}`,
    ...letter.history.map(
      ({ event, by, reason, at }) => `${out.dim(at)} ${event} by ${oneLine(by)}: ${oneLine(reason)}`,
    ),
  ].join('\n');
}

const WORDS = {
  retry: ['retryDeadLetter', 'Have one tried again within a minute', 'the subnet is back'],
  resolve: ['resolveDeadLetter', 'Say that it was dealt with by hand', 'the rows are in S3'],
  abandon: ['abandonDeadLetter', 'Say that it is worth nothing more', 'the task was for a test'],
} as const;

/** `dlq`: operations that have failed for good. */
export function registerDlq(program: Command, io: Io): void {
  const dlq = program.command('dlq').description(SUMMARY.dlq);

  const list = dlq
    .command('list')
    .description('Operations that have failed for good, in the order in which they are tried again')
    .option('--status <status>', LETTER_STATUSES.join(', '), statusNamed)
    .option('--limit <number>', 'look at so many tasks, 100 at the most', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where an earlier listing ended (its next_cursor)')
    .option(...JSON_OPTION);
  action<[{ readonly status?: LetterStatus; readonly limit: number; readonly cursor?: string }]>(
    list,
    io,
    async (session, { status, limit, cursor }) => {
      const page = await session.client().deadLetters({ query: { status, limit, cursor } });
      if (session.json) session.printJson(page);
      else if (page.dead_letters.length === 0) session.note('No dead letters.');
      else session.print(renderLetters(page.dead_letters, session));
      if (!session.json && page.next_cursor !== null)
        session.note(`More: assay dlq list --cursor ${page.next_cursor}`);
      return EXIT.ok;
    },
  );
  examples(list, [
    ['dlq list --status abandoned', 'what nobody tries any more'],
    ["dlq list --json | jq -r '.dead_letters[].id'", 'their ids, for a script'],
  ]);

  const show = dlq
    .command('show')
    .argument('<letter>', 'id, as `assay dlq list` prints it')
    .description('One of them, with what was done about it')
    .option(...JSON_OPTION);
  action<[string]>(show, io, async (session, letter) => {
    const answer = await session.client().deadLetter({ letter });
    if (session.json) session.printJson(answer);
    else session.print(renderLetter(answer, session));
    return EXIT.ok;
  });
  examples(show, [['dlq show T42.agent-1-1', 'the message, the error, and who did what']]);

  for (const [word, [route, description, reason]] of Object.entries(WORDS)) {
    const command = dlq
      .command(word)
      .argument('<letter>', 'id, as `assay dlq list` prints it')
      .description(description)
      .requiredOption('--reason <text>', 'why; it is kept with your name')
      .option(...JSON_OPTION);
    action<[string, { readonly reason: string }]>(command, io, async (session, letter, body) => {
      const answer = await session.client()[route]({ letter, body: { reason: body.reason } });
      if (session.json) session.printJson(answer);
      else session.print(renderLetter(answer, session));
      return EXIT.ok;
    });
    examples(command, [
      [`dlq ${word} T42.agent-1-1 --reason "${reason}"`, 'who said it, when and why is kept'],
    ]);
  }
}
