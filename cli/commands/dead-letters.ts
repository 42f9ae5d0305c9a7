import type { DeadLetterView } from '../../shared/api/dead-letter-schemas.ts';
import { LETTER_STATUSES } from '../../shared/control/dead-letters/letter-status.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { PAGINATION_OPTIONS, REQUIRED_REASON_OPTION } from '../shared-options.ts';

const LETTER = defineArgument('<letter>', 'id that `assay dlq list` prints');

function renderLetters(letters: readonly DeadLetterView[], session: ServerCommandSession): string {
  const now = Date.now();
  return session.table(
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
      formatAge(each.created_at, now),
      each.next_retry_at ?? (each.status === 'pending' ? 'when an operator retries it' : ''),
      toOneLine(each.error),
    ]),
  );
}

function renderLetter(letter: DeadLetterView, { out }: ServerCommandSession): string {
  const { id, operation, status, category, attempts, max_attempts, next_retry_at, error, args } = letter;
  return [
    `${out.bold(id)}  ${operation}, ${status}`,
    `${category}: ${toOneLine(error)}`,
    `tried ${attempts} of ${max_attempts} times${next_retry_at ? `, next at ${next_retry_at}` : ''}`,
    `message: ${toOneLine(args)}`,
    ...letter.history.map(
      ({ event, by, reason, at }) => `${out.dim(at)} ${event} by ${toOneLine(by)}: ${toOneLine(reason)}`,
    ),
  ].join('\n');
}

const letterAction = (
  action: 'retry' | 'resolve' | 'abandon',
  route: 'retryDeadLetter' | 'resolveDeadLetter' | 'abandonDeadLetter',
  description: string,
  reason: string,
) =>
  defineRouteCommand({
    name: `dlq ${action}`,
    route,
    description,
    arguments: { letter: LETTER },
    options: { reason: REQUIRED_REASON_OPTION },
    request: ({ letter, reason }) => ({ letter, body: { reason } }),
    view: renderLetter,
    examples: [
      [
        `dlq ${action} T42.agent-1-1 --reason "${reason}"`,
        'the history keeps your name, the time and the reason',
      ],
    ],
  });

/** `dlq`: the dead-letter queue. */
export const deadLetterCommands = [
  defineRouteCommand({
    name: 'dlq list',
    route: 'listDeadLetters',
    description: 'List the dead letters in the order in which they are retried',
    options: {
      status: defineOption('--status <status>', 'only with this status', { choices: LETTER_STATUSES }),
      ...PAGINATION_OPTIONS,
      limit: defineOption('--limit <number>', 'read at most this many tasks (maximum 100)', {
        parse: createIntegerParser(),
        default: 50,
      }),
    },
    request: (query) => ({ query }),
    view: ({ dead_letters }, session) =>
      dead_letters.length === 0 ? { note: 'No dead letters.' } : renderLetters(dead_letters, session),
    examples: [
      ['dlq list --status abandoned', 'the dead letters that are never retried'],
      ["dlq list --json | jq -r '.dead_letters[].id'", 'their ids, for a script'],
    ],
  }),
  defineRouteCommand({
    name: 'dlq show',
    route: 'getDeadLetter',
    description: 'Show one dead letter with its history',
    arguments: { letter: LETTER },
    request: ({ letter }) => ({ letter }),
    view: renderLetter,
    examples: [['dlq show T42.agent-1-1', 'the message, the error, and the history']],
  }),
  letterAction('retry', 'retryDeadLetter', 'Retry an operation within a minute', 'the subnet is back'),
  letterAction('resolve', 'resolveDeadLetter', 'Mark an operation as resolved by hand', 'the rows are in S3'),
  letterAction(
    'abandon',
    'abandonDeadLetter',
    'Give an operation up: it is never retried',
    'the task was for a test',
  ),
];
